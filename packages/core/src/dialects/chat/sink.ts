/** What the parts of the Chat decoder may say; the decoder itself is behind it. */
import type {
  BlockEnd,
  BlockFinal,
  BlockInit,
  BlockKind,
  CanonicalError,
  Delta,
  Native,
  WarningCode,
} from '../../dialect.ts';

/** Takes what was found in a choice and gives it as events of the frame being read. */
export interface Sink {
  open(choice: number, kind: BlockKind, init?: BlockInit): number;
  put(block: number, delta: Delta): void;
  shut(block: number, status?: BlockEnd['status'], final?: BlockFinal): void;
  warn(code: WarningCode, message: string, block?: number): void;
  note(key: string, value: unknown, choice: number): void;
  /** Something of this many characters is kept. */
  keep(length: number): void;
  /** The answer cannot go on. */
  fail(error: CanonicalError): void;
  /** The frame goes out as its mended payload. */
  mend(): void;
  /** The frame being read. */
  native(): Native | undefined;
  /** Says something on behalf of another frame, or of none. */
  as(native: Native | undefined, say: () => void): void;
}
