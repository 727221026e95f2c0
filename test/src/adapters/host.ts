/** What the suite asks of a host: an app of its own around the gateway, on a URL, in one of a few set-ups. */
import type { Line } from './lines/line.ts';

/** How the app is set up. */
export interface Setup {
  /** The root of the stand-in provider, which speaks Chat. */
  readonly upstream: string;
  /** The prefix under which the gateway is mounted; `/v1` at its end stands for that of the paths. */
  readonly mount?: string;
  /** What a parser before the gateway makes of every body. */
  readonly parsed?: Parsed;
  /** The app compresses what it sends. */
  readonly compressed?: true;
  /** It will be shut down: it may share nothing with other set-ups. */
  readonly alone?: true;
}

/** The forms in which parsers leave a body. */
export type Parsed = 'object' | 'string' | 'buffer';

/** An app that runs. */
export interface Host {
  /** Its root, without a mount. */
  readonly url: string;
  /** How it is reached, where that is not by HTTP/1.1. */
  readonly line?: () => Line;
  /** The gateway's own. */
  shutdown(drainMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an app. Rejects with `Lacking` for a set-up that the host has nothing for. */
export type Start = (setup: Setup) => Promise<Host>;

/** A host has no such thing, so that there is nothing to try. */
export class Lacking extends Error {}
