/** Every scenario, in the order of the table. */
import type { Scenario } from '../scenario.ts';
import { arrays } from './arrays.ts';
import { bodies } from './bodies.ts';
import { closing } from './closing.ts';
import { failing } from './failing.ts';
import { leaving } from './leaving.ts';
import { pace } from './pace.ts';
import { routes } from './routes.ts';
import { compressed, talk } from './talk.ts';

/** What is played on every host. */
export const scenarios: readonly Scenario[] = [
  ...talk,
  compressed,
  ...arrays,
  ...routes,
  ...bodies,
  ...leaving,
  ...pace,
  ...failing,
  ...closing,
];
