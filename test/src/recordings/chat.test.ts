/** Every recorded stream in the Chat dialect says the same in every dialect. */
import { judgeRecordings } from './suite.ts';

judgeRecordings('chat');
