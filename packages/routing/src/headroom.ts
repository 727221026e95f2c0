/** What is left of an upstream's rate limits, as the headers of its answers say. */

/** What is left: 1 while there is plenty, 0 where nothing is, until a time. */
export interface Headroom {
  readonly share: number;
  /** Milliseconds on the clock of the router. */
  readonly until: number;
}

/** The share of a limit below which a deployment gets less. */
const reserve = 0.2;

/** Milliseconds for which a share counts whose reset is not told. */
const unknownReset = 60_000;

/** Two ways to name the same three headers: `x-ratelimit-remaining-tokens`, `anthropic-ratelimit-tokens-remaining`. */
const families: readonly RegExp[] = [
  /^(x-ratelimit-)(remaining)((?:-[a-z-]+)?)$/,
  /^(anthropic-ratelimit-[a-z-]+-)(remaining)()$/,
];

/** The tightest of the limits in the headers of an answer; nothing where they tell none. */
export function headroomOf(headers: ReadonlyMap<string, string>, now: number): Headroom | undefined {
  let tightest: Headroom | undefined;
  for (const [name, value] of headers) {
    const [, before, , after] = families.map((family) => family.exec(name)).find((match) => match !== null) ?? [];
    if (before === undefined || after === undefined) continue;
    const limit = Number(headers.get(`${before}limit${after}`));
    const share = Math.min(Math.max(Number(value), 0) / (limit * reserve), 1);
    if (!(limit > 0) || Number.isNaN(share)) continue;
    const until = now + resetMs(headers.get(`${before}reset${after}`), headers.get('date'));
    if (tightest === undefined || share < tightest.share) tightest = { share, until };
  }
  return tightest;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A reset is a duration (`6m0s`, `20ms`, bare seconds) or a date, which is told against the server's own clock. */
function resetMs(reset: string | undefined, date: string | undefined): number {
  if (reset === undefined) return unknownReset;
  if (/^\d+(\.\d+)?$/.test(reset) && Number(reset) < 1e9) return Number(reset) * 1_000;
  const parts = [...reset.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  if (parts.length > 0 && parts.map(([part]) => part).join('') === reset)
    return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit as string] as number), 0);
  const ms = Date.parse(reset) - Date.parse(date ?? '');
  return Number.isNaN(ms) ? unknownReset : Math.max(ms, 0);
}
