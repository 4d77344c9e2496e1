import type { Handlers, Ping } from '#server/http/implement.types.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import { ANNOUNCEMENTS_TOPIC } from '#server/modules/announcements/index.ts';
import { ATTENTION_TOPIC } from '#server/modules/attention/index.ts';
import { libraryTopic } from '#server/modules/images/index.ts';
import { PLUGINS_TOPIC, RUNNING_TOPIC } from '#server/modules/plugins/index.ts';
import { TICKETS_TOPIC, TYPING_TOPIC, typingTopicOf } from '#server/modules/tickets/index.ts';
import { WEBHOOKS_TOPIC } from '#server/modules/webhooks/index.ts';
import type { Bus } from '#server/modules/kernel.ts';
import { can, isStaff } from '#shared/can.ts';
import type { HandlerEvent } from '#shared/contract/endpoint.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { DomainError } from '#shared/errors.ts';
import { SECOND } from '#shared/time.ts';

/** Most ms between two events of a stream: proxies close idle connections. */
const HEARTBEAT = 25 * SECOND;
/** Streams of one user at once (attacks T52). */
const MAX_STREAMS = 6;
/** Added to the age that a page gives of its data: the request of the page may have taken less time than this one. */
const MARGIN = SECOND;

interface Services {
  readonly bus: Bus;
  readonly identity: Pick<Identity, 'resolve'>;
  /** Runs a function once, after some ms. Out: cancels that. */
  readonly timer?: { after(ms: number, run: () => void): () => void };
}
type LiveEvent = HandlerEvent<typeof CONTRACT.live.events> | Ping;
type Caller = {
  readonly userId: string;
  readonly sessionId: string;
  readonly secret: string;
  readonly isStaff: boolean;
  /** Hears of the tickets of everybody. */
  readonly seesTickets: boolean;
  /** Hears of webhooks. */
  readonly seesWebhooks: boolean;
  /** Hears of plugins: that one was turned on or off, set or installed, and how it does in this process. */
  readonly seesPlugins: boolean;
};

const realTimer: NonNullable<Services['timer']> = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Live updates: the stream names what has changed, and the page reloads what it shows of that. */
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
      if ((streams.get(counted) ?? 0) >= MAX_STREAMS)
        throw new DomainError('RATE_LIMITED', { retryAfterS: HEARTBEAT / SECOND });
      count(counted, 1);
      // A session that waits for its second factor, or has to set one up first, may read nothing (behaviour 3.5). One
      // that views as somebody since, or does no more, has another actor.
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
      const { permissions } = ctx.actor;
      const caller = {
        userId,
        sessionId,
        secret: ctx.secret ?? '',
        isStaff: isStaff(permissions),
        seesWebhooks: can(permissions, 'admin.plugins.list'),
        seesPlugins: can(permissions, 'admin.plugins.list') || can(permissions, 'admin.plugins.edit'),
        seesTickets: can(permissions, 'admin.tickets.list') || can(permissions, 'admin.tickets.view'),
      };
      const stream = openStream(caller, options);
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
  /** Topics that changed within the last so many ms are named at once; null: none. */
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
    // A session that cannot be read counts as ended: the page then requests it again, and a new stream with it.
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
  const topics: [topic: string, names: readonly LiveEvent['event'][]][] = [
    [`user:${caller.userId}`, ['balance', 'session']],
    [`servers:${caller.userId}`, ['servers']],
    [`notifications:${caller.userId}`, ['notifications']],
    [`afk:${caller.userId}`, ['afk']],
    // The session says what is unread, and what is urgent.
    [`tickets:${caller.userId}`, ['tickets', 'session']],
    [ANNOUNCEMENTS_TOPIC, ['session']],
    [`announcements:${caller.userId}`, ['session']],
    [libraryTopic(caller.userId), ['images']],
    [typingTopicOf(caller.userId), ['typing']],
  ];
  if (caller.seesTickets) topics.push([TICKETS_TOPIC, ['tickets']], [TYPING_TOPIC, ['typing']]);
  if (caller.seesWebhooks) topics.push([WEBHOOKS_TOPIC, ['webhooks']]);
  if (caller.seesPlugins) topics.push([PLUGINS_TOPIC, ['plugins']], [RUNNING_TOPIC, ['plugins']]);
  if (caller.isStaff) topics.push([ATTENTION_TOPIC, ['attention']]);
  const stops = [
    ...topics.map(([topic, names]) => bus.subscribe(topic, () => enqueue(...names))),
    bus.subscribe(`session:${caller.sessionId}`, () => void checkSession()),
    // The browser reconnects by itself, with the new secret, and then reloads everything.
    bus.subscribe(`rotated:${caller.sessionId}`, closeSilently),
  ];
  // What changed after the page was read and before this stream subscribed.
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
  // Not a generator function: one that waits could not be ended.
  const iterator: AsyncIterator<LiveEvent> = {
    next,
    return: async () => {
      end();
      return { done: true, value: undefined };
    },
  };
  return { events: { [Symbol.asyncIterator]: () => iterator }, end };
}
