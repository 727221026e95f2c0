/** What a stream without an end is made of. */

/** What comes again and again. */
export interface Flood {
  name: string;
  /** What comes before it. */
  head: string;
  /** The piece of a number. */
  piece: (number: number) => string;
  /** The code of the error that must end it; nothing if it may go on, as nothing of it is kept. */
  code?: string;
  /** Dialects whose clients are told it again, or only once it is right, so that it has to be kept for them. */
  kept?: readonly string[];
  /** How it ends where it may go on and then stops; `truncated` unless told. */
  ending?: string;
  /** The dialect of the client, where it is that encoder that has to stop it. */
  to?: string;
}

/** A text of a thousand characters. */
export const kilobyte: string = 'x'.repeat(1000);
