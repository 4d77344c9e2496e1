import { DomainError, type ErrorCode } from '#shared/errors.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY } from '#shared/time.ts';
import { runOnce } from '../../idempotency/index.ts';
import type { Events } from '../../events/index.ts';
import type { Bus, Clock, Ids, SignedIn } from '../../kernel.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Tx, UnitOfWork } from '../../tx.ts';
import { refusalOf, type Counters, type EarnState, type Refusal } from '../counters/index.ts';
import type { Payout } from '../payout/index.ts';
import { isCurrentChallenge, countPresence, msToNextPayout, SILENCE_MS } from './policy.ts';
import type { AfkRow, EndReason, Timer } from './ports.ts';
import { openStream } from './stream.ts';

export interface AfkDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bus: Bus;
  readonly timer: Timer;
  readonly ledger: Pick<Ledger, 'balance' | 'postAccrual' | 'dueAccruals'>;
  readonly payout: Pick<Payout, 'accrueReward'>;
  readonly counters: Counters;
  readonly settings: { current(): SettingValues };
  readonly events: Pick<Events, 'emit'>;
}
/** Paid minutes between two `afk.minutes_paid` events. */
const EMIT_EVERY_MINUTES = 10;
/** Users whose due minutes are looked up at once. */
const DUE_AT_ONCE = 100;
/** Everything the page shows. */
export interface AfkView extends EarnState {
  readonly now: number;
  readonly session: AfkRow | null;
  /** Presence still missing for the next payout, ms; 0 where nothing runs. */
  readonly nextPayoutMs: number;
  readonly perMinute: number;
  readonly week: readonly { day: string; credits: number }[];
  /** Credits of AFK that wait for review (behaviour 4.6). */
  readonly held: number;
}
export interface AfkBeat {
  readonly countedMs: number;
  readonly nextPayoutMs: number;
  readonly earned: number;
  readonly earnedToday: number;
}
type BeatOutcome = { readonly beat: AfkBeat } | { readonly refused: ErrorCode };
export type Afk = ReturnType<typeof createAfk>;

const END_OF: Readonly<Record<Refusal, EndReason>> = { DAILY_CAP_REACHED: 'cap', BUDGET_SPENT: 'budget' };

/** Earning by presence (behaviour 4.1). The server keeps the clock; the page only answers challenges. */
export function createAfk(deps: AfkDeps) {
  const { uow, clock } = deps;

  /** What the page shows now. */
  function state(ctx: SignedIn): Promise<AfkView> {
    return uow.read((tx) => view(deps, tx, ctx.actor.userId));
  }

  /**
   * Starts a session of this login; one that runs anywhere else ends, and its page gets the event. Gives the id and the
   * device that lost it (null: none ran). Throws DAILY_CAP_REACHED or BUDGET_SPENT where not even a minute would be
   * paid, UNAUTHENTICATED where the login ended meanwhile.
   */
  function start(ctx: SignedIn): Promise<{ sessionId: string; tookOver: string | null; state: AfkView }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      const { userId, sessionId: login } = ctx.actor;
      const now = clock.now();
      const refusal = await deps.counters.findRefusal(tx, {
        userId,
        source: 'afk',
        amount: deps.settings.current().afk_per_minute,
      });
      if (refusal) throw new DomainError(refusal);
      const device = (await tx.afk.login(login, now))?.device;
      if (device === undefined) throw new DomainError('UNAUTHENTICATED');
      const row = { id: deps.ids.uuid(), userId, sessionId: login, device, startedMs: now };
      const tookOver = await replaceSession(tx, row);
      tx.touch(`afk:${userId}`);
      return { sessionId: row.id, tookOver: tookOver?.device ?? null, state: await view(deps, tx, userId) };
    });
  }

  /**
   * The event stream of a session; the newest stream of it is the one whose challenges count. Throws NOT_FOUND for a
   * session that is not the caller's, AFK_SESSION_ENDED for one that is over or belongs to another login. `signal` ends
   * it quietly.
   */
  function stream(ctx: SignedIn, id: string, signal: AbortSignal) {
    return openStream(deps, ctx, id, signal);
  }

  /**
   * Answers the newest challenge. Throws NOT_FOUND, AFK_SESSION_ENDED, AFK_TAKEN_OVER, and AFK_CHALLENGE_WRONG for one
   * that is unknown, too old, replaced or answered before; a refused beat changes nothing.
   */
  async function beat(ctx: SignedIn, id: string, challenge: string): Promise<AfkBeat> {
    const outcome = await uow.run((tx) => acceptBeat(deps, tx, ctx, id, challenge));
    if ('refused' in outcome) throw new DomainError(outcome.refused);
    return outcome.beat;
  }

  /** Ends the caller's session, wherever it runs; nothing happens where none does. */
  function stop(ctx: SignedIn): Promise<void> {
    return uow.run(async (tx) => {
      const { userId } = ctx.actor;
      const ended = await tx.afk.endOpen(userId, { atMs: clock.now(), reason: 'stopped', takenBy: null });
      if (!ended) return;
      await deps.ledger.postAccrual(tx, userId);
      tx.touch(`afk:${userId}`);
    });
  }

  /** Ends what was forgotten: sessions without a beat for five minutes. For the scheduler; gives how many. */
  function endSilent(): Promise<number> {
    return uow.run(async (tx) => {
      const now = clock.now();
      const users = await tx.afk.endSilent(now - SILENCE_MS, now);
      tx.touch(...users.map((userId) => `afk:${userId}`));
      return users.length;
    });
  }

  /**
   * Posts the minutes of those who went away before their hour was over. For the scheduler; gives of how many users.
   * Each in a transaction of its own: two wallets are never held at once.
   */
  async function postDue(): Promise<number> {
    let posted = 0;
    for (;;) {
      const due = await uow.read((tx) => deps.ledger.dueAccruals(tx, DUE_AT_ONCE));
      for (const userId of due) await uow.run((tx) => deps.ledger.postAccrual(tx, userId));
      posted += due.length;
      if (due.length < DUE_AT_ONCE) return posted;
    }
  }

  return { state, start, stream, beat, stop, endSilent, postDue };
}

/** Puts a session in the place of the open one, which it gives. One start a user at a time, so the last one wins. */
async function replaceSession(tx: Tx, row: Parameters<Tx['afk']['add']>[0]): Promise<AfkRow | null> {
  await tx.identity.lockUser(row.userId);
  // Starting over and over fills no table (attacks T52).
  await tx.afk.deleteEmpty(row.userId, row.startedMs - DAY);
  const last = await tx.afk.endOpen(row.userId, { atMs: row.startedMs, reason: 'taken_over', takenBy: row.device });
  if (!(await tx.afk.add(row))) throw new DomainError('CONFLICT');
  return last;
}

async function view(deps: AfkDeps, tx: Tx, userId: string): Promise<AfkView> {
  const session = await tx.afk.open(userId);
  return {
    ...(await deps.counters.state(tx, userId, 'afk')),
    now: deps.clock.now(),
    session,
    nextPayoutMs: session ? msToNextPayout(session) : 0,
    perMinute: deps.settings.current().afk_per_minute,
    week: await deps.counters.week(tx, userId, 'afk'),
    held: await tx.abuse.sumWaiting(userId, 'afk'),
  };
}

async function acceptBeat(deps: AfkDeps, tx: Tx, ctx: SignedIn, id: string, challenge: string): Promise<BeatOutcome> {
  const { userId, sessionId } = ctx.actor;
  const now = deps.clock.now();
  const row = await tx.afk.lock(id);
  if (row?.userId !== userId) return { refused: 'NOT_FOUND' };
  if (row.endedMs !== null) return { refused: row.endReason === 'taken_over' ? 'AFK_TAKEN_OVER' : 'AFK_SESSION_ENDED' };
  if (row.sessionId !== sessionId) return { refused: 'AFK_SESSION_ENDED' };
  if (!deps.settings.current().afk_enabled) {
    await tx.afk.end(id, 'disabled', now);
    tx.touch(`afk:${userId}`);
    return { refused: 'AFK_SESSION_ENDED' };
  }
  if (!isCurrentChallenge(row, challenge, now)) return { refused: 'AFK_CHALLENGE_WRONG' };
  const { countedMs, full } = countPresence(row, now);
  const paid = full ? await payMinute(deps, tx, row) : { credits: 0, end: null, earnedToday: null };
  if (paid.end) await deps.ledger.postAccrual(tx, userId);
  const minutes = row.minutes + (paid.credits > 0 ? 1 : 0);
  const earned = row.earned + paid.credits;
  const endedMs = paid.end ? now : null;
  await tx.afk.saveBeat(id, { lastBeatMs: now, countedMs, minutes, earned, endedMs, endReason: paid.end });
  if (minutes > row.minutes && minutes % EMIT_EVERY_MINUTES === 0)
    await deps.events.emit(tx, 'afk.minutes_paid', { userId, minutes });
  if (full) tx.touch(`afk:${userId}`);
  const earnedToday = paid.earnedToday ?? (await deps.counters.earnedToday(tx, userId, 'afk'));
  return { beat: { countedMs, nextPayoutMs: msToNextPayout({ countedMs, minutes }), earned, earnedToday } };
}

/**
 * Pays the minute that got full where cap and budget allow it, and says whether the session ends: at once when no
 * further minute would be paid; and what the user earned today where that was read.
 */
async function payMinute(
  { settings, counters, payout }: AfkDeps,
  tx: Tx,
  row: AfkRow,
): Promise<{ credits: number; end: EndReason | null; earnedToday: number | null }> {
  const claim = { userId: row.userId, source: 'afk', amount: settings.current().afk_per_minute } as const;
  const refusal = await counters.tryCount(tx, claim);
  if (refusal) return { credits: 0, end: END_OF[refusal], earnedToday: null };
  // The minutes of a user that wait for review wait as one.
  await payout.accrueReward(
    tx,
    { ...claim, reference: `afk:${row.id}:${row.minutes + 1}`, subject: null, pool: 'afk' },
    `afk:${row.id}`,
  );
  const state = await counters.state(tx, row.userId, 'afk');
  const next = refusalOf(state, claim.amount);
  return { credits: claim.amount, end: next && END_OF[next], earnedToday: state.earnedToday };
}
