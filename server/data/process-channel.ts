import { SQL } from 'bun';
import { SECOND } from '#shared/time.ts';
import type { Log, Topic } from '#server/modules/kernel.ts';
import type { ProcessBus } from './bus.ts';
import { topicReach } from './topic-reach.ts';

/** What the processes of an installation hear each other by: PostgreSQL keeps the channels of its databases apart. */
const CHANNEL = 'spawnpoint';
/** How long topics are gathered before they leave, and how soon a sending that failed is tried again. */
const GATHER_MS = 20;
const AGAIN_MS = SECOND;
/** How often a process says that it is there, and after how long without hearing itself it counts as deaf. */
const BEAT_MS = 2 * SECOND;
const DEAF_BEATS = 3;
/** Most bytes of a message: PostgreSQL takes fewer than 8,000. */
const MESSAGE_BYTES = 7000;
/** Most topics that wait to be sent; beyond that everything counts as changed. */
const WAITING_MAX = 10_000;
/** In the place of topics: anything may have changed. */
const EVERYTHING = '*';

/** What a process knows of the others. */
interface ChannelState {
  /** It hears what the others say. */
  readonly isListening: boolean;
  /** Serving processes that were heard of lately, this one among them. */
  readonly processes: number;
}
/** What the serving processes of an installation say to each other through their database. */
export interface ProcessChannel {
  /** Begins to hear the others, and to be heard of. Resolves once that was tried. */
  start(): Promise<void>;
  /** Null while it was not started: a command line does not listen. */
  state(): ChannelState | null;
  /** The statement that says some topics with a commit; '' where none of them has to be. */
  statementOf(topics: Iterable<Topic>): string;
  /** Sends what still waits, and ends. */
  close(): Promise<void>;
}

interface Deps {
  /** Address of the database. */
  readonly url: string;
  readonly bus: Pick<ProcessBus, 'deliver' | 'deliverAll' | 'forwardTo'>;
  readonly log: Log;
  /** How often it says that it is there, in ms. */
  readonly beatMs?: number;
}

/** As a literal of SQL, whatever the server takes a backslash for. */
const quote = (text: string): string => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** Messages of one process: its id, then the topics, a line each. */
function toMessages(from: string, topics: Iterable<Topic>): string[] {
  const messages: string[] = [];
  let message = from;
  for (const topic of topics) {
    if (Buffer.byteLength(message) + Buffer.byteLength(topic) + 1 > MESSAGE_BYTES) {
      messages.push(message);
      message = from;
    }
    message += `\n${topic}`;
  }
  return [...messages, message];
}

/** A connection to send by, and another one to listen by, which it makes again by itself. */
const connect = (url: string): SQL =>
  new SQL(url, {
    max: 1,
    // Nobody has to wait for the disk: a message is no row.
    connection: { application_name: 'spawnpoint channel', synchronous_commit: 'off' },
  });

/**
 * Gathers what has to be said soon and sends it, one message after the other. What could not be sent waits: the others
 * have not heard it, and still have to. In: sends messages, false where it could not. Out: adds topics; ends, once what
 * waits is sent or cannot be.
 */
function createOutbox(own: string, send: (messages: readonly string[]) => Promise<boolean>) {
  const waiting = new Set<Topic>();
  let sending: Promise<void> | null = null;
  let isClosed = false;
  async function sendWaiting(): Promise<void> {
    await Bun.sleep(GATHER_MS);
    while (waiting.size > 0) {
      const topics = waiting.size > WAITING_MAX ? [EVERYTHING] : [...waiting];
      waiting.clear();
      if (await send(toMessages(own, topics))) continue;
      for (const topic of topics) waiting.add(topic);
      if (isClosed) break;
      await Bun.sleep(AGAIN_MS);
    }
    // In the same step that found nothing more: what is added from now on is sent by the next.
    sending = null;
  }
  return {
    add(topics: readonly Topic[]): void {
      for (const topic of topics) if (topicReach(topic) === 'soon') waiting.add(topic);
      if (waiting.size > 0) sending ??= sendWaiting();
    },
    async close(): Promise<void> {
      isClosed = true;
      await sending;
    },
  };
}

/**
 * The channel of PostgreSQL (LISTEN and NOTIFY). Every topic that is published in one process is heard in the others
 * (topicReach says how soon). Whatever may have been missed, because a connection was lost, counts as changed. A
 * message holds names of topics and no data: whoever can read or write it has the database.
 */
export function createProcessChannel({ url, bus, log, beatMs = BEAT_MS }: Deps): ProcessChannel {
  const nowMs = () => performance.now();
  const deafMs = DEAF_BEATS * beatMs;
  const own = crypto.randomUUID();
  const heardMs = new Map<string, number>();
  let sql: SQL | null = null;
  let beat: ReturnType<typeof setInterval> | null = null;
  let openedMs = 0;
  let isDeaf = false;

  function receive(message: string): void {
    const [from = '', ...topics] = message.split('\n');
    heardMs.set(from, nowMs());
    if (from === own) return;
    if (topics.includes(EVERYTHING)) bus.deliverAll();
    else bus.deliver(topics);
  }
  async function send(messages: readonly string[]): Promise<boolean> {
    try {
      sql ??= connect(url);
      for (const message of messages) await sql.unsafe('SELECT pg_notify($1, $2)', [CHANNEL, message]);
      return true;
    } catch {
      return false;
    }
  }
  const outbox = createOutbox(own, send);
  const stopForwarding = bus.forwardTo(outbox.add);

  /** It listens, for the first time or again: what was said meanwhile is not known. */
  function onListening(): void {
    if (isDeaf) log.info('processes.heard_again');
    isDeaf = false;
    bus.deliverAll();
    void send([own]);
  }
  function warnDeaf(error: string): void {
    if (!isDeaf) log.warn('processes.not_heard', { error });
    isDeaf = true;
  }
  /** Listens over connections that are new. Never rejects. */
  async function listen(): Promise<void> {
    const before = sql;
    const opened = (sql = connect(url));
    openedMs = nowMs();
    void before?.close({ timeout: 0 }).catch(() => undefined);
    await opened.listen(CHANNEL, receive, onListening).catch((error: unknown) => {
      if (sql === opened) warnDeaf(String(error));
    });
  }
  const isHeard = (): boolean => nowMs() - (heardMs.get(own) ?? -Infinity) < deafMs;
  /** Says that this process is there, which it hears itself where all is well; else it listens anew. */
  function pulse(): void {
    if (!isHeard() && nowMs() - openedMs >= deafMs) {
      warnDeaf('its own messages do not come back');
      void listen();
    }
    void send([own]);
  }

  return {
    async start() {
      if (beat) return;
      beat = setInterval(pulse, beatMs);
      beat.unref();
      await listen();
    },
    state() {
      if (!beat) return null;
      const since = nowMs() - deafMs;
      for (const [from, atMs] of heardMs) if (atMs < since) heardMs.delete(from);
      return { isListening: isHeard(), processes: Math.max(1, heardMs.size) };
    },
    statementOf(topics) {
      const exact = [...topics].filter((topic) => topicReach(topic) === 'commit');
      if (exact.length === 0) return '';
      return toMessages(own, exact)
        .map((message) => `NOTIFY ${CHANNEL}, ${quote(message)};`)
        .join(' ');
    },
    async close() {
      stopForwarding();
      if (beat) clearInterval(beat);
      await outbox.close();
      await sql?.close({ timeout: 1 }).catch(() => undefined);
      sql = null;
    },
  };
}
