import type { Handlers, Ping, SignedInCtx } from '#server/http/implement.types.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { Bus } from '#server/modules/kernel.ts';
import type { ConsoleReader, Servers } from '#server/modules/servers/index.ts';
import type { HandlerEvent } from '#shared/contract/endpoint.ts';
import type { consoles as contract } from '#shared/contract/consoles.ts';
import { DomainError } from '#shared/errors.ts';
import { iso, SECOND } from '#shared/time.ts';

/** Readers of one user, and of this process: each is a waiting call to the node (N13). */
const MAX_OF_USER = 6;
const MAX_IN_ALL = 500;
/** How long one call waits for a line; below the idle time of proxies. */
const WAIT_MS = 15 * SECOND;
/** Least time between two answers to one reader: a flood is sent in parts, and the rest stays in the node. */
const PACE_MS = 150;
/** Pause after a panel that did not answer. */
const AWAY_MS = 3 * SECOND;
/** How often session and ownership are read again, apart from when the session says that it ended. */
const CHECK_MS = 25 * SECOND;

interface ConsoleServices {
  readonly servers: Pick<Servers, 'openConsole' | 'sendCommand'>;
  readonly bus: Bus;
  readonly identity: Pick<Identity, 'resolve'>;
}
type ConsoleEvent = HandlerEvent<typeof contract.stream> | Ping;

/** Consoles of servers: a stream of lines, and lines for it. */
export function consolesHandlers(services: ConsoleServices): Handlers<typeof contract> {
  const open = createConsoleStreams(services);
  return {
    stream: (ctx, { params, query }) => open(ctx, params.id, Number(query.after ?? 0)),
    command: async (ctx, { params, body }) => {
      await services.servers.sendCommand(ctx, params.id, body.text);
      return {};
    },
  };
}

/** Streams of consoles: each reader has only a place in the node's lines, and no queue of its own. */
function createConsoleStreams({ servers, bus, identity }: ConsoleServices) {
  const readers = new Map<string, number>();
  let all = 0;
  const count = (userId: string, by: number) => {
    const total = (readers.get(userId) ?? 0) + by;
    all += by;
    if (total > 0) readers.set(userId, total);
    else readers.delete(userId);
  };

  /**
   * The lines of a console behind the number `after`, and what comes. Ends with the session, and when the server is no
   * longer the caller's to read. Throws what `openConsole` throws, RATE_LIMITED.
   */
  return async (ctx: SignedInCtx, id: string, after: number): Promise<AsyncIterable<ConsoleEvent>> => {
    const { userId, sessionId } = ctx.actor;
    const read = await servers.openConsole(ctx, id);
    if ((readers.get(userId) ?? 0) >= MAX_OF_USER || all >= MAX_IN_ALL)
      throw new DomainError('RATE_LIMITED', { retryAfterS: CHECK_MS / SECOND });
    const isAllowed = async (): Promise<boolean> => {
      const actor = (await identity.resolve(ctx.secret ?? ''))?.actor;
      if (actor?.userId !== userId || actor.waiting || actor.mustSetUp) return false;
      // With the rights of now.
      await servers.openConsole({ ...ctx, actor }, id);
      return true;
    };
    count(userId, 1);
    const stops: (() => void)[] = [];
    const onEnd = () => {
      count(userId, -1);
      stops.forEach((stop) => stop());
    };
    const stream = new ConsoleStream({ read, isAllowed, onEnd, after });
    stops.push(bus.subscribe(`session:${sessionId}`, () => void stream.check()));
    // Suspended, deleted, or no longer shared with them.
    stops.push(bus.subscribe(`servers:${userId}`, () => void stream.check()));
    // The browser comes again by itself, with the new secret.
    stops.push(bus.subscribe(`rotated:${sessionId}`, () => stream.end()));
    if (ctx.signal.aborted) stream.end();
    else ctx.signal.addEventListener('abort', () => stream.end(), { once: true });
    return { [Symbol.asyncIterator]: () => stream };
  };
}

interface StreamOptions {
  readonly read: ConsoleReader;
  /** Whether the session still exists and the server is the caller's. */
  readonly isAllowed: () => Promise<boolean>;
  /** Called once, however the stream ends. */
  readonly onEnd: () => void;
  /** Number of the last line that the reader has; 0: none. */
  readonly after: number;
}

/** One stream. Not a generator: one that waits could not be ended. */
class ConsoleStream implements AsyncIterator<ConsoleEvent> {
  private readonly options: StreamOptions;
  private after: number;
  private isOver = false;
  private isAway = false;
  private checkedMs = performance.now();
  private readMs = 0;
  private resume = () => undefined as void;
  /** A call that waits for a line ends with the stream: it would keep a place at the node, and a server that stops. */
  private readonly left = new AbortController();

  constructor(options: StreamOptions) {
    this.options = options;
    this.after = options.after;
  }
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.onEnd();
    this.left.abort();
    this.resume();
  }
  async check(): Promise<void> {
    this.checkedMs = performance.now();
    if (!(await this.options.isAllowed().catch(() => false))) this.end();
  }
  async return(): Promise<IteratorResult<ConsoleEvent>> {
    this.end();
    return { done: true, value: undefined };
  }
  async next(): Promise<IteratorResult<ConsoleEvent>> {
    for (;;) {
      if (performance.now() - this.checkedMs > CHECK_MS) await this.check();
      if (!this.isOver) await this.orEnd(Bun.sleep(Math.max(0, this.readMs + PACE_MS - performance.now())));
      if (this.isOver) return { done: true, value: undefined };
      this.readMs = performance.now();
      const value = await this.read();
      if (value) return { done: false, value };
    }
  }
  /** Null where the stream ended meanwhile. */
  private async read(): Promise<ConsoleEvent | null> {
    const answer = await this.orEnd(this.options.read(this.after, WAIT_MS, this.left.signal));
    if (answer === null) return null;
    if (answer.outcome !== 'ok') {
      if (this.isAway) {
        await this.orEnd(Bun.sleep(AWAY_MS));
        return { event: 'ping' };
      }
      this.isAway = true;
      return { event: 'away', data: {} };
    }
    const { lines, gap } = answer.value;
    const last = lines.at(-1);
    if (!last && !this.isAway) return { event: 'ping' };
    this.isAway = false;
    this.after = last?.seq ?? this.after;
    return {
      event: 'lines',
      data: { gap, lines: lines.map(({ seq, atMs, kind, text }) => ({ seq, at: iso(atMs), kind, text })) },
    };
  }
  /** Waits for something, but not beyond the end of the stream: null then. */
  private orEnd<T>(work: Promise<T>): Promise<T | null> {
    return new Promise((resolve, reject) => {
      this.resume = () => resolve(null);
      if (this.isOver) resolve(null);
      work.then(resolve, reject);
    });
  }
}
