/** What the parts of the Gemini decoder may say; the decoder itself is behind it. */
import type {
  BlockEnd,
  BlockInit,
  BlockKind,
  CanonicalError,
  DecoderOptions,
  Delta,
  WarningCode,
} from '../../dialect.ts';

/** Takes what was found in a candidate and gives it as events of the frame being read. */
export interface Sink {
  readonly options: DecoderOptions;
  open(choice: number, kind: BlockKind, init?: BlockInit): number;
  put(block: number, delta: Delta): void;
  shut(block: number, status?: BlockEnd['status']): void;
  warn(code: WarningCode, message: string, block?: number): void;
  note(key: string, value: unknown, choice: number): void;
  /** Something of this many characters is kept. */
  keep(length: number): void;
  /** The answer cannot go on. */
  fail(error: CanonicalError): void;
}
