/** Every recorded stream in the Responses dialect says the same in every dialect. */
import { judgeRecordings } from './suite.ts';

judgeRecordings('responses');
