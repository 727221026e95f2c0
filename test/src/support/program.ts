/** A program of its own that serves at a port: started, waited for, listened to, ended. */
import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A running program. */
export interface Program {
  url: string;
  /** All that it has written to its terminal. */
  log(): string;
  kill(signal: NodeJS.Signals): void;
  /** Sends a signal, and waits for what becomes of it: its exit code, else the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** How a program is started at a port. */
interface Start extends Pick<SpawnOptions, 'cwd' | 'env'> {
  command: string;
  args: readonly string[];
}

/** Starts a program, and waits until something at a path answers. */
export async function startProgram(at: (port: number) => Start, path = '/'): Promise<Program> {
  const port = await freePort();
  const { command, args, ...options } = at(port);
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      log += piece;
    });
  const url = `http://127.0.0.1:${port}`;
  const end = async (signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> => {
    const exit = once(child, 'exit');
    if (child.exitCode === null && child.signalCode === null && child.kill(signal)) await exit;
    return child.exitCode ?? child.signalCode;
  };
  for (let tries = 0; child.exitCode === null && !(await answers(url + path)); tries++) {
    if (tries >= 300) await end('SIGKILL');
    await delay(100);
  }
  if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The program does not answer.\n${log}`);
  return { url, log: () => log, kill: (signal) => child.kill(signal), end };
}

async function answers(url: string): Promise<boolean> {
  return (await fetch(url).catch(() => undefined)) !== undefined;
}

/** A port that nobody listens at. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
