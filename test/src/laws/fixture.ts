/** Recordings that nobody recorded: each scene as each dialect's provider writes it. */
import type { KnownDialect } from '@streamglot/core';
import { type Scene, scenes } from '../support/scenes.ts';
import { frank, wireOf } from '../support/wire/index.ts';

/** A whole stream of one dialect. */
export interface Fixture {
  name: string;
  dialect: KnownDialect;
  scene: Scene;
  frames: readonly string[];
  bytes: Buffer;
  /** How many bytes there must be before the answer is known to have ended well; more than there are where it has not. */
  proven: number;
}

/** Every scene that ends as its dialect ends, well or in an error; those of two turns say nothing that others do not. */
export function fixturesOf(dialect: KnownDialect): readonly Fixture[] {
  return Object.values<Scene>(scenes)
    .filter(isOneStream)
    .map((scene) => {
      const frames = wireOf(dialect).write(scene, frank);
      const bytes = Buffer.from(frames.join(''));
      return { name: `${dialect}: ${scene.name}`, dialect, scene, frames, bytes, proven: provenAt(dialect, frames) };
    });
}

function isOneStream({ ending, refused, after }: Scene): boolean {
  return (ending === 'whole' || ending === 'error') && refused === undefined && after === undefined;
}

/** A frame proves something once its payload is whole; the blank line after it need not have come. */
function provenAt(dialect: KnownDialect, frames: readonly string[]): number {
  const at = frames.findIndex((frame) => wireOf(dialect).proves(frame));
  return at < 0 ? Number.POSITIVE_INFINITY : endOf(frames, at) - '\n\n'.length;
}

/** The byte after a frame. */
export function endOf(frames: readonly string[], at: number): number {
  return Buffer.byteLength(frames.slice(0, at + 1).join(''));
}
