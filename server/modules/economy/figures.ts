import type { DaySum } from './ports.ts';

/** Full days that a forecast is made from, at most. */
const FORECAST_BASIS = 14;
/** How far a forecast looks. */
const FORECAST_DAYS = 30;

/** A system account's part of each day, in the order of the days asked for. */
export interface Flow {
  /** `reward.afk`, `store` …, or `debt`. */
  readonly account: string;
  readonly minted: readonly number[];
  readonly burnt: readonly number[];
}
export interface Forecast {
  /** Credits that circulation grows by a day, as it did; negative where it shrinks. */
  readonly perDay: number;
  /** Credits in circulation in 30 days. */
  readonly later: number;
  /** Full days this was seen on. */
  readonly basis: number;
}
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** What each account minted and burnt on each of the days, by size. In: days oldest first, and their sums. */
export function flowsOf(days: readonly string[], sums: readonly DaySum[]): Flow[] {
  const place = new Map(days.map((day, index) => [day, index]));
  const flows = new Map<string, { minted: number[]; burnt: number[] }>();
  for (const { day, account, minted, burnt } of sums) {
    const index = place.get(day);
    if (index === undefined || (minted === 0 && burnt === 0)) continue;
    const flow = flows.get(account) ?? { minted: days.map(() => 0), burnt: days.map(() => 0) };
    flow.minted[index] = (flow.minted[index] ?? 0) + minted;
    flow.burnt[index] = (flow.burnt[index] ?? 0) + burnt;
    flows.set(account, flow);
  }
  const size = ({ minted, burnt }: Omit<Flow, 'account'>) => sum(minted) + sum(burnt);
  return [...flows]
    .map(([account, flow]) => ({ account: account.replace(/^system:/, ''), ...flow }))
    .sort((a, b) => size(b) - size(a) || (a.account < b.account ? -1 : 1));
}

/** By how much circulation grew on each day. */
export function netOf(days: readonly string[], flows: readonly Flow[]): number[] {
  return days.map((_, index) => sum(flows.map(({ minted, burnt }) => (minted[index] ?? 0) - (burnt[index] ?? 0))));
}

/**
 * An amount (credits in circulation, users) at the end of each day, back from what it is now. In: growth by day, oldest
 * first, today last.
 */
export function endsOf(now: number, net: readonly number[]): number[] {
  const ends: number[] = [];
  let at = now;
  for (const grown of net.toReversed()) {
    ends.unshift(at);
    at -= grown;
  }
  return ends;
}

/**
 * Share of all credits that was spent or handed on in these days: what left wallets, by the mean circulation. Null
 * while there were none.
 */
export function velocityOf(spent: number, circulation: readonly number[]): number | null {
  const mean = circulation.length === 0 ? 0 : sum(circulation) / circulation.length;
  return mean <= 0 ? null : spent / mean;
}

/**
 * Circulation in 30 days if nothing changes: as it is now, plus 30 times the mean growth of the last full days (14 at
 * most, from the first on which credits moved; today is not over and does not count). Null before there is one full
 * day. Never below zero.
 */
export function forecastOf(now: number, net: readonly number[], moved: readonly boolean[]): Forecast | null {
  const first = moved.indexOf(true);
  const full = first < 0 ? [] : net.slice(first, -1).slice(-FORECAST_BASIS);
  if (full.length === 0) return null;
  const perDay = sum(full) / full.length;
  return {
    perDay: Math.round(perDay),
    later: Math.max(0, Math.round(now + perDay * FORECAST_DAYS)),
    basis: full.length,
  };
}
