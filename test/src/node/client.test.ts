/** A Node response as a client: how much of what was written it has yet to take, and whether it left before the end. */
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { NodeClient } from '../../../packages/node/src/client.ts';

/** As much of a response as a client asks for; a test says when it is full, drained and closed. */
class Response extends EventEmitter {
  statusCode = 200;
  readonly headersSent = false;
  writableEnded = false;
  writableFinished = false;
  full = false;

  setHeader(): void {}
  setTimeout(): void {}
  end(): void {}
  destroy(): void {}

  write(): boolean {
    return !this.full;
  }
}

describe('a client of Node', () => {
  it('has yet to take all that was written since its response was full, until that has drained', () => {
    const response = new Response();
    const client = new NodeClient(response, 1, 1000);
    expect(client.write('first')).toBe(0);
    response.full = true;
    expect(client.write('abc')).toBe(3);
    response.full = false;
    expect(client.write('é')).toBe(5);
    response.emit('drain');
    expect(client.write('more')).toBe(0);
  });

  it.each([
    ['nothing was ended', false, false, true],
    ['not everything was sent', true, false, true],
    ['HTTP/2 calls an abort finished', false, true, true],
    ['everything was sent', true, true, false],
  ])('that closes where %s (ended: %s, finished: %s) has left: %s', (_, ended, finished, gone) => {
    const response = new Response();
    const client = new NodeClient(response, 1, 1000);
    let left = false;
    client.onGone(() => {
      left = true;
    });
    Object.assign(response, { writableEnded: ended, writableFinished: finished });
    response.emit('close');
    expect(left).toBe(gone);
  });
});
