/** A tool loop through a gateway: one client, and for each step the model that it is made with. */
import type { KnownDialect } from '@streamglot/core';
import type { GatewayEvent } from '@streamglot/gateway';
import { compatible } from '@streamglot/providers';
import { type Talk, talk } from '../gateway/talk.ts';
import type { Maker } from './maker.ts';
import type { Entry } from './row.ts';
import { rows } from './rows.ts';

/** How a loop is played. */
export interface Played {
  client: KnownDialect;
  stream: boolean;
  /** Whether the client drops members that it does not know. */
  forgets: boolean;
  /** The models by step, such as `one/gpt-5.1`; the last one goes on. */
  models: readonly string[];
  /** The providers by name, and what each speaks. */
  makers: Readonly<Record<string, { maker: Maker; dialect: KnownDialect }>>;
  /** Changes the JSON of what the client keeps. */
  edit?: (json: string) => string;
}

/** Plays a loop until no call is open; returns what was said last, and every loss. */
export async function play(loop: Played): Promise<{ said: string; steps: number; losses: string[] }> {
  const { speaker } = rows[loop.client];
  const names = [...new Set(loop.models)];
  const gateway = inFrontOf(loop.makers, names);
  let history = speaker.user('How is the weather?');
  for (let step = 0; step < 9; step++) {
    const model = loop.models[Math.min(step, loop.models.length - 1)] ?? '';
    const sent = speaker.ask(`m${names.indexOf(model)}`, history, loop.stream);
    const client = await gateway.ask(sent.path, sent.body, sent.query === undefined ? {} : { query: sent.query });
    if (client.status !== 200) throw new Error(`step ${step} with ${model}: ${client.status} ${client.text}`);
    const kept = speaker.keep(client.text, loop.stream).map((entry) => (loop.forgets ? speaker.forget(entry) : entry));
    const edited = loop.edit === undefined ? kept : (JSON.parse(loop.edit(JSON.stringify(kept))) as Entry[]);
    const calls = speaker.calls(edited);
    if (calls.length === 0) return { said: speaker.said(edited), steps: step, losses: lossesOf(gateway.events) };
    history = [...history, ...edited, ...speaker.results(calls)];
  }
  throw new Error('the loop has no end');
}

/** A gateway whose models `m0`, `m1` and so on are those of these names; a provider that none of them is of has one model more. */
export function inFrontOf(makers: Played['makers'], names: readonly string[]): Talk {
  const providers = Object.fromEntries(
    Object.entries(makers).map(([name, { maker, dialect }]) => {
      const baseURL = `http://${name}.test${dialect === 'chat' || dialect === 'responses' ? '/v1' : ''}`;
      return [name, compatible({ name, dialect, baseURL, fetch: maker.fetch as typeof fetch })];
    }),
  );
  const unasked = Object.keys(makers).filter((name) => !names.some((model) => model.startsWith(`${name}/`)));
  const models = Object.fromEntries(
    [...names, ...unasked.map((name) => `${name}/any`)].map((name, at) => [`m${at}`, name]),
  );
  return talk({}, { providers, models });
}

function lossesOf(events: readonly GatewayEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'losses' ? event.losses.map((loss) => loss.reason) : []));
}
