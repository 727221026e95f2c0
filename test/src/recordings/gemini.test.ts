/** Every recorded stream in the Gemini dialect says the same in every dialect. */
import { judgeRecordings } from './suite.ts';

judgeRecordings('gemini');
