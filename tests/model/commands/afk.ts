import type { Afk } from '#server/modules/rewards/afk/index.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import { anybody, command, stepOf, userOf, type Story } from '../command.ts';
import { TERMS, type Code, type Plain, type PlainAfk } from '../plain.ts';
import { caller } from './caller.ts';

const BOUNDS = { cap: TERMS.cap };
/** A challenge older than this is refused; a span between two beats longer than that is absence (behaviour 4.1). */
const [CHALLENGE_MS, SPAN_MS] = [30 * SECOND, 45 * SECOND];

const start = command({
  name: 'startAfk',
  weight: 1,
  together: true,
  draw: (plain, random) => ({ user: anybody(plain, random), second: random.chance(0.3) }),
  bind(story, { user: index, second }, step) {
    const { plain, world, names } = story;
    const user = userOf(plain, index);
    return {
      run: () => world.services.afk.start(caller(story, index, undefined, undefined, second ? 1 : 0)),
      rule() {
        const code = plain.counters.room(index, 'afk', TERMS.perMinute, BOUNDS);
        if (code) return code;
        end(plain, user.afk, 'taken_over');
        plain.sessions.set(step, { user, device: second ? 1 : 0, lastMs: null, countedMs: 0, minutes: 0, end: null });
        user.afk = step;
        return null;
      },
      keep(answer) {
        names.set(`afk:${step}`, (answer as { sessionId: string }).sessionId);
        return null;
      },
    };
  },
});

function end(plain: Plain, session: number | null, reason: PlainAfk['end']): void {
  const found = session === null ? undefined : plain.sessions.get(session);
  if (!found) return;
  found.end ??= reason;
  found.user.afk = null;
}

const stop = command({
  name: 'stopAfk',
  weight: 0.3,
  together: true,
  draw: (plain, random) => ({ user: anybody(plain, random) }),
  bind(story, { user: index }) {
    const user = userOf(story.plain, index);
    return {
      run: () => story.world.services.afk.stop(caller(story, index)),
      rule() {
        end(story.plain, user.afk, 'stopped');
        return null;
      },
    };
  },
});

/** The line of a session is opened: its first challenge, and how to close it. */
async function openLine(afk: Afk, ctx: ReturnType<typeof caller>, id: string) {
  const line = new AbortController();
  const events = (await afk.stream(ctx, id, line.signal))[Symbol.asyncIterator]();
  const first = await events.next();
  const challenge = !first.done && first.value.event === 'challenge' ? first.value.data.challenge : '';
  return {
    challenge,
    async close() {
      line.abort();
      await events.return?.();
    },
  };
}

/** A beat of a session that took its challenge `waitedMs` ago, by the server's clock. */
function beatRule(plain: Plain, number: number, session: PlainAfk, waitedMs: number): Code {
  if (session.end) return 'AFK_SESSION_ENDED';
  if (waitedMs > CHALLENGE_MS) return 'AFK_CHALLENGE_WRONG';
  const span = session.lastMs === null ? Infinity : plain.now() - session.lastMs;
  session.lastMs = plain.now();
  session.countedMs = span > SPAN_MS ? 0 : session.countedMs + span;
  if (session.countedMs < MINUTE) return null;
  session.countedMs -= MINUTE;
  const { index } = session.user;
  const full = () => plain.counters.room(index, 'afk', TERMS.perMinute, BOUNDS) !== null;
  if (!full()) {
    session.minutes += 1;
    plain.counters.count(index, 'afk', TERMS.perMinute);
    plain.reward(session.user, 'afk', TERMS.perMinute, { pool: 'afk' });
  }
  if (full()) end(plain, number, 'full');
  return null;
}

/**
 * Null also for one that ended without a paid minute: the product forgets those in time, so that nothing certain can be
 * said of them.
 */
function sessionOf({ plain, names }: Story, number: number): { session: PlainAfk; id: string } | null {
  const session = plain.sessions.get(number);
  const id = names.get(`afk:${number}`);
  return session && id && !(session.end && session.minutes === 0) ? { session, id } : null;
}

/** Opens a line, takes its challenge, lets some time pass and answers: so reconnects and gaps of every length occur. */
const beat = command({
  name: 'beat',
  weight: 12,
  draw(plain, random) {
    const running = plain.users.flatMap(({ afk }) => (afk === null ? [] : [afk]));
    const session = random.chance(0.95) && running.length > 0 ? random.pick(running) : stepOf(plain.sessions, random);
    const user = session === null ? undefined : plain.sessions.get(session)?.user.index;
    return session === null || user === undefined
      ? null
      : { user, session, waitMs: (random.chance(0.9) ? 8 + random.int(12) : random.int(45)) * SECOND };
  },
  bind(story, { user, session: number, waitMs }) {
    const found = sessionOf(story, number);
    if (!found) return null;
    const { world, plain } = story;
    const { session, id } = found;
    return {
      async run() {
        const { afk } = world.services;
        const ctx = caller(story, user, undefined, undefined, session.device === 1 ? 1 : 0);
        const line = await openLine(afk, ctx, id);
        await line.close();
        world.clock.advance(waitMs);
        plain.pass(waitMs);
        return afk.beat(ctx, id, line.challenge);
      },
      rule: () => beatRule(plain, number, session, waitMs),
      keep: (answer) =>
        (answer as { countedMs: number }).countedMs === session.minutes * MINUTE + session.countedMs
          ? null
          : 'another presence',
    };
  },
});

/** A beat without a line, as a script sends it (attacks T13): refused, whatever the session. */
const script = command({
  name: 'scriptedBeat',
  never: 'done',
  weight: 0.3,
  together: true,
  draw(plain, random) {
    const session = stepOf(plain.sessions, random);
    const user = session === null ? undefined : plain.sessions.get(session)?.user.index;
    return session === null || user === undefined ? null : { user, session };
  },
  bind(story, { user, session: number }) {
    const found = sessionOf(story, number);
    if (!found) return null;
    const { session, id } = found;
    return {
      run: () =>
        story.world.services.afk.beat(
          caller(story, user, undefined, undefined, session.device === 1 ? 1 : 0),
          id,
          'guess',
        ),
      rule: () =>
        session.end === null
          ? 'AFK_CHALLENGE_WRONG'
          : session.end === 'taken_over'
            ? 'AFK_TAKEN_OVER'
            : 'AFK_SESSION_ENDED',
    };
  },
});

/** The minutes of those who went away are posted: nobody has more or less by it. */
const post = command({
  name: 'postAfk',
  weight: 0.3,
  together: true,
  draw: () => ({}),
  bind: ({ world }) => ({ run: () => world.services.afk.postDue(), rule: () => null }),
});

export const AFK = [start, stop, beat, script, post];
