/** Every recorded stream in the Interactions dialect says the same in every dialect. */
import { judgeRecordings } from './suite.ts';

judgeRecordings('interactions');
