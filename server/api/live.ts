import type { Handlers, Ping } from '#server/http/implement.types.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { Bus } from '#server/modules/kernel.ts';
import type { HandlerEvent } from '#shared/contract/endpoint.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { DomainError } from '#shared/errors.ts';
import { SECOND } from '#shared/time.ts';

/** Something goes over the line at least so often: proxies close silent ones. */
const HEARTBEAT = 25 * SECOND;
/** Streams of one user at once (attacks T52). */
const MOST_STREAMS = 6;
/** Added to how long ago a page says that it was read: its request may have been quicker on its way than this one. */
const MARGIN = SECOND;

interface Services {
  readonly bus: Bus;
  readonly identity: Pick<Identity, 'resolve'>;
  /** Calls back once after some ms; the function it gives cancels that. */
  readonly timer?: { after(ms: number, run: () => void): () => void };
}
type LiveEvent = HandlerEvent<typeof CONTRACT.live.events> | Ping;
type Caller = { readonly userId: string; readonly sessionId: string; readonly secret: string };

const realTimer: NonNullable<Services['timer']> = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Live updates: the stream names what changed, the page asks again for what it shows. */
export function liveHandlers({ bus, identity, timer = realTimer }: Services): Handlers<typeof CONTRACT.live> {
  const open = new Map<string, number>();
  const count = (userId: string, by: number) => {
    const now = (open.get(userId) ?? 0) + by;
    if (now > 0) open.set(userId, now);
    else open.delete(userId);
  };

  return {
    async events(ctx, { query }) {
      const { userId, sessionId } = ctx.actor;
      if ((open.get(userId) ?? 0) >= MOST_STREAMS)
        throw new DomainError('RATE_LIMITED', { retryAfterS: HEARTBEAT / SECOND });
      count(userId, 1);
      // A session that waits for its second factor, or has to set one up first, hears as little as it may ask
      // (behaviour 3.5).
      const alive = async (secret: string) => {
        const actor = (await identity.resolve(secret))?.actor;
        return actor !== undefined && !actor.waiting && !actor.mustSetUp;
      };
      const line = {
        bus,
        timer,
        alive,
        ended: () => count(userId, -1),
        withinMs: query.within === undefined ? null : Number(query.within) + MARGIN,
      };
      const stream = openStream({ userId, sessionId, secret: ctx.secret ?? '' }, line);
      if (ctx.signal.aborted) stream.end();
      else ctx.signal.addEventListener('abort', () => stream.end(), { once: true });
      return stream.events;
    },
  };
}

interface Line {
  readonly bus: Bus;
  readonly timer: NonNullable<Services['timer']>;
  /** Whether the session still stands, and nothing is missing of its log-in. */
  readonly alive: (secret: string) => Promise<boolean>;
  /** Called once, however the stream ends. */
  readonly ended: () => void;
  /** What changed within these ms is named at once; null: nothing. */
  readonly withinMs: number | null;
}

/**
 * One stream. What changes several times before the page takes it is named once. It ends when the caller goes away, and
 * at once when the session ends (attacks T34): then its last word is `session`. When only the secret of the session
 * changes, it ends without one.
 */
function openStream(
  caller: Caller,
  { bus, timer, alive, ended, withinMs }: Line,
): { events: AsyncIterable<LiveEvent>; end(): void } {
  const waiting = new Set<LiveEvent['event']>();
  let wake: (() => void) | null = null;
  let over = false;
  let cancelBeat = () => undefined as void;
  const ring = () => {
    wake?.();
    wake = null;
  };
  const say = (...names: LiveEvent['event'][]) => {
    for (const name of names) waiting.add(name);
    ring();
  };
  const end = () => {
    if (over) return;
    over = true;
    cancelBeat();
    stops.forEach((stop) => stop());
    ended();
    ring();
  };
  const check = async () => {
    // A session that cannot be looked up is treated as ended: the page asks for it again, and so for a new stream.
    const stands = await alive(caller.secret).catch(() => false);
    if (stands || over) return;
    say('session');
    end();
  };
  const closeSilently = () => {
    waiting.clear();
    end();
  };
  const beat = () => {
    cancelBeat = timer.after(HEARTBEAT, () => {
      say('ping');
      void check();
      if (!over) beat();
    });
  };
  const named: readonly [topic: string, names: readonly LiveEvent['event'][]][] = [
    [`user:${caller.userId}`, ['balance', 'session']],
    [`servers:${caller.userId}`, ['servers']],
    [`notifications:${caller.userId}`, ['notifications']],
    [`afk:${caller.userId}`, ['afk']],
  ];
  const stops = [
    ...named.map(([topic, names]) => bus.subscribe(topic, () => say(...names))),
    bus.subscribe(`session:${caller.sessionId}`, () => void check()),
    // The browser opens another stream by itself, with the new secret, and then asks for everything.
    bus.subscribe(`rotated:${caller.sessionId}`, closeSilently),
  ];
  // Between the reading of the page and this stream nobody listened.
  if (withinMs !== null) for (const [topic, names] of named) if (bus.publishedWithin(topic, withinMs)) say(...names);
  beat();

  const next = async (): Promise<IteratorResult<LiveEvent>> => {
    for (;;) {
      const [name] = waiting;
      if (name !== undefined) {
        waiting.delete(name);
        return { done: false, value: name === 'ping' ? { event: name } : { event: name, data: {} } };
      }
      if (over) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  // Written out, not as a generator: a generator that waits cannot be told to stop.
  const iterator: AsyncIterator<LiveEvent> = {
    next,
    return: async () => {
      end();
      return { done: true, value: undefined };
    },
  };
  return { events: { [Symbol.asyncIterator]: () => iterator }, end };
}
