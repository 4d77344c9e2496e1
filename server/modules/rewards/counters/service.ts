import { DomainError } from '#shared/errors.ts';
import type { EarningSource } from '#shared/earning-sources.ts';
import type { SettingValues } from '#shared/settings.ts';
import { dayIn } from '#shared/time.ts';
import type { Clock } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { dayEnd, lastDays } from './days.ts';
import { EVERYBODY } from './ports.ts';

interface Earning {
  readonly userId: string;
  readonly source: EarningSource;
  /** Credits, 1 or more. Paid whole or not at all. */
  readonly amount: number;
}
/** Why nothing more is paid today: to this user, or to anybody. */
export type Refusal = 'DAILY_CAP_REACHED' | 'BUDGET_SPENT';
export interface EarnState {
  readonly earnedToday: number;
  /** Credits a user may earn a day; 0 = no cap. */
  readonly cap: number;
  readonly budgetUsed: number;
  /** Credits the installation pays out a day; 0 = no budget. */
  readonly budget: number;
  /** The running day of `app_timezone`, YYYY-MM-DD. */
  readonly day: string;
  /** When the next day begins, UTC ms. */
  readonly resetsAtMs: number;
}

interface Deps {
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
}
export type Counters = ReturnType<typeof createCounters>;

/** Why credits (1 or more) are not paid to somebody who stands there; null where they are. */
export function refusalOf({ earnedToday, cap, budgetUsed, budget }: EarnState, amount: number): Refusal | null {
  if (cap > 0 && earnedToday + amount > cap) return 'DAILY_CAP_REACHED';
  return budget > 0 && budgetUsed + amount > budget ? 'BUDGET_SPENT' : null;
}

/** Caps and budgets of the earning sources, counted by day of `app_timezone` (behaviour 4). */
export function createCounters({ clock, settings }: Deps) {
  function bounds(source: EarningSource) {
    const values = settings.current();
    const day = dayIn(clock.now(), values.app_timezone);
    return {
      day,
      zone: values.app_timezone,
      cap: values[`${source}_daily_cap`],
      budget: values[`${source}_daily_budget`],
    };
  }

  /**
   * Counts a payment where cap and budget allow it. Gives null when counted, else the reason; then nothing is counted
   * and the transaction can go on. The row of everybody comes last, so that it is locked as briefly as possible.
   */
  async function tryCount(tx: Tx, earning: Earning): Promise<Refusal | null> {
    const { userId, source, amount } = earning;
    const { day, cap, budget } = bounds(source);
    const most = cap === 0 ? Number.MAX_SAFE_INTEGER : cap;
    if (!(await tx.counters.addWithin(userId, source, day, amount, most))) return 'DAILY_CAP_REACHED';
    if (await tx.counters.addForEverybody(source, day, amount, budget === 0 ? null : budget)) return null;
    await tx.counters.subtract(userId, source, day, amount);
    return 'BUDGET_SPENT';
  }

  /** `tryCount` that throws its refusal: DAILY_CAP_REACHED or BUDGET_SPENT. */
  async function count(tx: Tx, earning: Earning): Promise<void> {
    const refusal = await tryCount(tx, earning);
    if (refusal) throw new DomainError(refusal);
  }

  /** The running day, which `tryCount` counts on. */
  const today = (): string => dayIn(clock.now(), settings.current().app_timezone);

  /**
   * Subtracts what was counted on a day from cap and budget, for a reward that was returned to its source. On that day
   * only: another day's cap and budget were never touched by it. The caller subtracts each amount once.
   */
  async function uncount(tx: Tx, earning: Earning, day: string): Promise<void> {
    if (day !== today()) return;
    for (const userId of [earning.userId, EVERYBODY])
      await tx.counters.subtract(userId, earning.source, day, earning.amount);
  }

  /**
   * Locks what a user has earned from a source today, for the rest of the transaction: callers that `uncount` after
   * locking something that payouts lock too do this first, as payouts do.
   */
  const lock = (tx: Tx, userId: string, source: EarningSource): Promise<void> =>
    tx.counters.lock(userId, source, today());

  /** Why `tryCount` would refuse now, null where it would count; changes nothing. */
  async function findRefusal(tx: Tx, { userId, source, amount }: Earning): Promise<Refusal | null> {
    return refusalOf(await state(tx, userId, source), amount);
  }

  /** Where a user stands today. */
  async function state(tx: Tx, userId: string, source: EarningSource): Promise<EarnState> {
    const { day, zone, cap, budget } = bounds(source);
    const [earnedToday, budgetUsed] = await tx.counters.getBoth([userId, EVERYBODY], source, day);
    return { earnedToday, cap, budgetUsed, budget, day, resetsAtMs: dayEnd(clock.now(), zone) };
  }

  /** Credits the user earned from a source today. */
  function earnedToday(tx: Tx, userId: string, source: EarningSource): Promise<number> {
    return tx.counters.get(userId, source, bounds(source).day);
  }

  /** What the user earned on each of the last seven days, oldest first, today last. */
  async function week(tx: Tx, userId: string, source: EarningSource): Promise<{ day: string; credits: number }[]> {
    const days = lastDays(bounds(source).day, 7);
    const credits = await tx.counters.days(userId, source, days);
    return days.map((day, index) => ({ day, credits: credits[index] ?? 0 }));
  }

  return { tryCount, count, today, uncount, lock, findRefusal, state, earnedToday, week };
}
