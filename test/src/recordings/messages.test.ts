/** Every recorded stream in the Messages dialect says the same in every dialect. */
import { judgeRecordings } from './suite.ts';

judgeRecordings('messages');
