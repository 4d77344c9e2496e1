import type { Handlers, Ping } from '#server/http/implement.types.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { Bus } from '#server/modules/kernel.ts';
import type { HandlerEvent } from '#shared/contract/endpoint.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { DomainError } from '#shared/errors.ts';
import { SECOND } from '#shared/time.ts';

/** Every stream sends something at least this often: proxies close idle ones. */
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
  const streams = new Map<string, number>();
  const count = (userId: string, by: number) => {
    const total = (streams.get(userId) ?? 0) + by;
    if (total > 0) streams.set(userId, total);
    else streams.delete(userId);
  };

  return {
    async events(ctx, { query }) {
      const { userId, sessionId, viewer } = ctx.actor;
      // Staff who view as somebody take none of that user's streams.
      const counted = viewer?.userId ?? userId;
      if ((streams.get(counted) ?? 0) >= MOST_STREAMS)
        throw new DomainError('RATE_LIMITED', { retryAfterS: HEARTBEAT / SECOND });
      count(counted, 1);
      // A session that waits for its second factor, or has to set one up first, gets no events, as it may ask for
      // nothing (behaviour 3.5). Nor does one that views as somebody since, or does no more.
      const isValid = async (secret: string) => {
        const actor = (await identity.resolve(secret))?.actor;
        return actor?.userId === userId && !actor.waiting && !actor.mustSetUp;
      };
      const options = {
        bus,
        timer,
        isValid,
        onEnd: () => count(counted, -1),
        withinMs: query.within === undefined ? null : Number(query.within) + MARGIN,
      };
      const stream = openStream({ userId, sessionId, secret: ctx.secret ?? '' }, options);
      if (ctx.signal.aborted) stream.end();
      else ctx.signal.addEventListener('abort', () => stream.end(), { once: true });
      return stream.events;
    },
  };
}

interface StreamOptions {
  readonly bus: Bus;
  readonly timer: NonNullable<Services['timer']>;
  /** Whether the session still exists and its log-in is complete. */
  readonly isValid: (secret: string) => Promise<boolean>;
  /** Called once, however the stream ends. */
  readonly onEnd: () => void;
  /** What changed within these ms is named at once; null: nothing. */
  readonly withinMs: number | null;
}

/**
 * One stream. A topic that changes several times before the page reads it is sent once. It ends when the caller
 * disconnects, and at once when the session ends (attacks T34): then its last event is `session`. When only the secret
 * of the session changes, it ends without one.
 */
function openStream(
  caller: Caller,
  { bus, timer, isValid, onEnd, withinMs }: StreamOptions,
): { events: AsyncIterable<LiveEvent>; end(): void } {
  const pending = new Set<LiveEvent['event']>();
  let resume: (() => void) | null = null;
  let over = false;
  let cancelHeartbeat = () => undefined as void;
  const resumeReader = () => {
    resume?.();
    resume = null;
  };
  const enqueue = (...names: LiveEvent['event'][]) => {
    for (const name of names) pending.add(name);
    resumeReader();
  };
  const end = () => {
    if (over) return;
    over = true;
    cancelHeartbeat();
    stops.forEach((stop) => stop());
    onEnd();
    resumeReader();
  };
  const checkSession = async () => {
    // A session that cannot be looked up is treated as ended: the page asks for it again, and so for a new stream.
    const valid = await isValid(caller.secret).catch(() => false);
    if (valid || over) return;
    enqueue('session');
    end();
  };
  const closeSilently = () => {
    pending.clear();
    end();
  };
  const scheduleHeartbeat = () => {
    cancelHeartbeat = timer.after(HEARTBEAT, () => {
      enqueue('ping');
      void checkSession();
      if (!over) scheduleHeartbeat();
    });
  };
  const topics: readonly [topic: string, names: readonly LiveEvent['event'][]][] = [
    [`user:${caller.userId}`, ['balance', 'session']],
    [`servers:${caller.userId}`, ['servers']],
    [`notifications:${caller.userId}`, ['notifications']],
    [`afk:${caller.userId}`, ['afk']],
  ];
  const stops = [
    ...topics.map(([topic, names]) => bus.subscribe(topic, () => enqueue(...names))),
    bus.subscribe(`session:${caller.sessionId}`, () => void checkSession()),
    // The browser opens another stream by itself, with the new secret, and then asks for everything.
    bus.subscribe(`rotated:${caller.sessionId}`, closeSilently),
  ];
  // Between the reading of the page and this stream nothing was subscribed.
  if (withinMs !== null)
    for (const [topic, names] of topics) if (bus.publishedWithin(topic, withinMs)) enqueue(...names);
  scheduleHeartbeat();

  const next = async (): Promise<IteratorResult<LiveEvent>> => {
    for (;;) {
      const [name] = pending;
      if (name !== undefined) {
        pending.delete(name);
        return { done: false, value: name === 'ping' ? { event: name } : { event: name, data: {} } };
      }
      if (over) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
  };
  // Written out, not as a generator: a generator that waits cannot be stopped.
  const iterator: AsyncIterator<LiveEvent> = {
    next,
    return: async () => {
      end();
      return { done: true, value: undefined };
    },
  };
  return { events: { [Symbol.asyncIterator]: () => iterator }, end };
}
