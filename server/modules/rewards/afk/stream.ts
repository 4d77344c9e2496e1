import { DomainError } from '#shared/errors.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { CHALLENGE_EVERY_MS, MOST_UNANSWERED } from './policy.ts';
import type { AfkRow, EndReason } from './ports.ts';
import type { AfkDeps } from './service.ts';
import { createStreamTrigger, type StreamTrigger } from './trigger.ts';

/** What a stream says. `ended` is the last event. */
export type AfkEvent =
  | { readonly event: 'challenge'; readonly data: { readonly challenge: string } }
  | { readonly event: 'paid'; readonly data: { readonly earned: number; readonly balance: number } }
  | { readonly event: 'ended'; readonly data: { readonly reason: EndReason; readonly device: string | null } };

/** What one stream remembers between its events. */
interface Live {
  readonly id: string;
  readonly userId: string;
  readonly login: string;
  /** Its last challenge; the row holds another one as soon as a newer stream came. */
  challenge: string;
  /** Challenges in a row that nobody answered. */
  unanswered: number;
  minutes: number;
}

/**
 * Opens a stream: checks, puts its first challenge in force, and gives the events. Everything that can be refused is
 * refused here, before the first event. See `Afk.stream` for what it throws.
 */
export async function openStream(
  deps: AfkDeps,
  ctx: SignedIn,
  id: string,
  signal: AbortSignal,
): Promise<AsyncIterable<AfkEvent>> {
  const { userId, sessionId: login } = ctx.actor;
  const challenge = deps.ids.token();
  const minutes = await deps.uow.run(async (tx) => {
    const row = await tx.afk.lock(id);
    if (row?.userId !== userId) throw new DomainError('NOT_FOUND');
    const gone = row.sessionId !== login || !deps.settings.current().afk_enabled;
    if (gone || !(await tx.afk.issue(id, null, challenge, deps.clock.now())))
      throw new DomainError('AFK_SESSION_ENDED');
    tx.touch(`afk:${userId}`);
    return row.minutes;
  });
  const trigger = createStreamTrigger(signal);
  const source = events(deps, { id, userId, login, challenge, unanswered: 0, minutes }, trigger);
  return { [Symbol.asyncIterator]: () => closeOnReturn(source, trigger) };
}

/**
 * Told to return, a generator waits for the step it is in; this ends that step first, which may otherwise take until
 * the next challenge.
 */
function closeOnReturn(
  source: AsyncGenerator<AfkEvent, void, void>,
  trigger: StreamTrigger,
): AsyncIterator<AfkEvent, void, void> {
  return {
    next: () => source.next(),
    return: () => {
      trigger.close();
      return source.return();
    },
  };
}

async function* events(deps: AfkDeps, live: Live, trigger: StreamTrigger): AsyncGenerator<AfkEvent, void, void> {
  const { bus, timer, settings } = deps;
  const stops = [`afk:${live.userId}`, `user:${live.userId}`, `session:${live.login}`].map((topic) =>
    bus.subscribe(topic, trigger.change),
  );
  stops.push(
    bus.subscribe('settings.loaded', () => {
      if (!settings.current().afk_enabled) trigger.change();
    }),
  );
  let cancel = timer.after(CHALLENGE_EVERY_MS, trigger.due);
  // What happened between opening and listening is found by looking once.
  trigger.change();
  try {
    yield { event: 'challenge', data: { challenge: live.challenge } };
    while (true) {
      const reason = await trigger.next();
      if (reason === 'closed') return;
      const said = await nextEvents(deps, live, reason === 'due');
      // Before the events go out: a slow reader does not slow the challenges down.
      if (reason === 'due') cancel = timer.after(CHALLENGE_EVERY_MS, trigger.due);
      for (const event of said) yield event;
      if (said.some((event) => event.event === 'ended')) return;
    }
  } finally {
    cancel();
    for (const stop of stops) stop();
    trigger.close();
  }
}

/** What a stream finds when it reads its session, or has done with it. */
interface SessionReading {
  readonly row: AfkRow | null;
  /** Of the wallet, where something was paid since it was last read. */
  readonly balance: number;
  readonly unanswered: number;
  /** The session ended, or another stream came. */
  readonly over: boolean;
  /** Why it has to end. */
  readonly reason: EndReason | null;
  /** The challenge that was put in force. */
  readonly next: string | null;
}

/**
 * Reads the session and says what is new. Reading alone writes nothing; with `due` the next challenge is put in force
 * in one transaction with it, and streams that are due together share its commit.
 */
async function nextEvents(deps: AfkDeps, live: Live, due: boolean): Promise<AfkEvent[]> {
  const { uow } = deps;
  const found = due
    ? await uow.run((tx) => advanceSession(deps, tx, live, due))
    : await uow.read((tx) => readSession(deps, tx, live, due));
  const seen = !due && found.reason ? await uow.run((tx) => advanceSession(deps, tx, live, due)) : found;
  live.unanswered = seen.unanswered;
  const news = paidEvents(live, seen.row, seen.balance);
  if (seen.over) return [...news, endedEvent(seen.row)];
  if (seen.reason) return [...news, endedEvent({ endReason: seen.reason, takenBy: null })];
  if (seen.next === null) return news;
  live.challenge = seen.next;
  return [...news, { event: 'challenge', data: { challenge: seen.next } }];
}

async function readSession(deps: AfkDeps, tx: Tx, live: Live, due: boolean): Promise<SessionReading> {
  const found = await tx.afk.findLive(live.id, deps.clock.now());
  const row = found?.row ?? null;
  const balance = row && row.minutes > live.minutes ? await deps.ledger.balance(tx, `user:${live.userId}`) : 0;
  const seen = { row, balance, unanswered: 0, over: true, reason: null, next: null };
  if (!found || found.row.endedMs !== null || found.row.challenge !== live.challenge) return seen;
  const unanswered = found.row.challengeMs === null ? 0 : live.unanswered + (due ? 1 : 0);
  return { ...seen, unanswered, over: false, reason: reasonToEnd(deps, unanswered, found.loggedIn) };
}

/** Reads and acts: ends the session where it has to end, else puts the next challenge in force where it is due. */
async function advanceSession(deps: AfkDeps, tx: Tx, live: Live, due: boolean): Promise<SessionReading> {
  const seen = await readSession(deps, tx, live, due);
  if (seen.over) return seen;
  if (seen.reason) await endSession(deps, tx, live, seen.reason);
  if (seen.reason || !due) return seen;
  const next = deps.ids.token();
  if (await tx.afk.issue(live.id, live.challenge, next, deps.clock.now())) return { ...seen, next };
  return { ...seen, over: true, row: await tx.afk.find(live.id) };
}

function reasonToEnd({ settings }: AfkDeps, unanswered: number, loggedIn: boolean): EndReason | null {
  if (!settings.current().afk_enabled) return 'disabled';
  if (!loggedIn) return 'stopped';
  return unanswered >= MOST_UNANSWERED ? 'idle' : null;
}

async function endSession(deps: AfkDeps, tx: Tx, live: Live, reason: EndReason): Promise<void> {
  if (await tx.afk.end(live.id, reason, deps.clock.now())) tx.touch(`afk:${live.userId}`);
}

/** The payouts since it was last read, as one event. */
function paidEvents(live: Live, row: AfkRow | null, balance: number): AfkEvent[] {
  if (!row || row.minutes <= live.minutes) return [];
  live.minutes = row.minutes;
  return [{ event: 'paid', data: { earned: row.earned, balance } }];
}

/** How it ended. A session that still runs was taken over by a newer stream of itself. */
function endedEvent(row: Pick<AfkRow, 'endReason' | 'takenBy'> | null): AfkEvent {
  return { event: 'ended', data: { reason: row?.endReason ?? 'taken_over', device: row?.takenBy ?? null } };
}
