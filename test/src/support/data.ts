/** Where the data lies that tests read beside the repository: recordings, requests and fault cases. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(process.env.STREAMGLOT_SHARED ?? join(import.meta.dirname, '../../../../shared'));

/** A folder of the data, whether or not it is there. */
export function dataFolder(name: string): string {
  return join(root, name);
}

/** Whether a folder or file of the data is there. */
export function hasData(name: string): boolean {
  return existsSync(dataFolder(name));
}

/** What to say when a suite is skipped for want of its data. */
export function withoutData(suite: string, name: string): string {
  return `${suite}: skipped, for there is no ${dataFolder(name)} (STREAMGLOT_SHARED names another place)`;
}
