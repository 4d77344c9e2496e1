import { join } from 'node:path';
import type { Host } from '#server/compose/host.ts';
import { inFolder } from './folder.ts';
import { percentile } from './polls.ts';
import { freePort, startServer } from './processes.ts';
import { growthFigure, type Figure } from './report.ts';
import { addPlayers, BROWSER, openWorld } from './installation.ts';

const ROOT = join(import.meta.dir, '../..');
/** Messages that are sent one after the other, and the first of them, which are not counted. */
const MESSAGES = 330;
const WARM_UP = 30;
/** So many of staff that none comes near the limit of calls. */
const STAFF = 33;
/** A message may take so many times as long as one commit and one event. */
const MOST = 3;

/** Where messages are sent and heard of. */
interface Side {
  readonly url: string;
  readonly stream: string;
  readonly reader: Readonly<Record<string, string>>;
  send(number: number): Promise<Response>;
  /** Reads what the page shows, once its stream spoke. Out: whether the message is there. */
  shows(number: number): Promise<boolean>;
}

/**
 * Figures n: from the moment that staff send a message until its reader's page has it, in ms: it is committed, the
 * reader's stream says so, the page asks for the conversation. Beside it one commit and one event.
 */
export function talkFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const world = await openWorld(folder);
    const [reader = '', ...staff] = await addPlayers(world.host, STAFF + 1, 0);
    const ticketId = await addTicket(world.host);
    await world.close();
    const [port, plainPort] = [await freePort(), await freePort()];
    const main = [process.execPath, join(ROOT, 'server/main.ts'), 'serve', '--local'];
    const ours = await startServer(main, { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'info' }, port, '/healthz');
    const bare = [process.execPath, join(import.meta.dir, 'talk-plain.ts'), folder, String(plainPort)];
    const plain = await startServer(bare, {}, plainPort, '/');
    try {
      const times = await measure(ourSide(port, ticketId, reader, staff));
      const base = await measure(plainSide(plainPort));
      return [
        growthFigure('n.message p99', percentile(times, 0.99), percentile(base, 0.99), 'ms', MOST),
        growthFigure('n.message p50', percentile(times, 0.5), percentile(base, 0.5), 'ms', MOST),
      ];
    } finally {
      await ours.stop();
      await plain.stop();
    }
  });
}

/** Makes everybody but the first player staff, who has a ticket. Out: its id. */
async function addTicket({ database }: Host): Promise<string> {
  const id = crypto.randomUUID();
  await database.write(async ({ raw }) => {
    await raw.run(
      "UPDATE users SET role_id = (SELECT id FROM roles WHERE key = 'admin') WHERE username > 'player0000'",
    );
    await raw.run(
      `INSERT INTO tickets (id, number, user_id, department_id, subject, priority, status, messages, answered_seq,
         read_seq, created_ms, since_ms, updated_ms)
       SELECT ?, 1001, id, '', 'Cannot join', 'normal', 'open', 1, 0, 1, 1, 1, 1 FROM users WHERE username = 'player0000'`,
      [id],
    );
  });
  return id;
}

function ourSide(port: number, ticketId: string, reader: string, staff: readonly string[]): Side {
  const url = `http://127.0.0.1:${port}`;
  const headers = (cookie: string) => ({
    Cookie: cookie,
    Origin: url,
    'User-Agent': BROWSER,
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(),
  });
  return {
    url,
    stream: '/api/events',
    reader: headers(reader),
    send: (number) =>
      fetch(`${url}/api/admin/tickets/${ticketId}/messages`, {
        method: 'POST',
        headers: headers(staff[number % staff.length] ?? ''),
        body: JSON.stringify({ text: `Message ${number}.`, internal: false, status: 'answered', seen: 1_000_000 }),
      }),
    async shows(number) {
      const response = await fetch(`${url}/api/tickets/${ticketId}`, { headers: headers(reader) });
      return (await response.text()).includes(`Message ${number}.`);
    },
  };
}

const plainSide = (port: number): Side => ({
  url: `http://127.0.0.1:${port}`,
  stream: '/events',
  reader: {},
  send: (number) => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: `Message ${number}.` }),
  shows: async () => true,
});

/** Sends messages one after the other. Out: how long each took to its reader, in ms. */
async function measure({ url, stream, reader, send, shows }: Side): Promise<number[]> {
  const ending = new AbortController();
  const response = await fetch(url + stream, { headers: reader, signal: ending.signal });
  if (response.status !== 200 || !response.body) throw new Error(`the stream answered ${response.status}`);
  const events = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const times: number[] = [];
  for (let number = 0; number < MESSAGES; number += 1) {
    const begun = performance.now();
    const sent = send(number);
    // The stream speaks of other things as well.
    for (let isThere = false; !isThere;) {
      const { value = '', done } = await events.read();
      if (done) throw new Error('the stream ended');
      isThere = value.includes('event: tickets') && (await shows(number));
    }
    if (number >= WARM_UP) times.push(performance.now() - begun);
    const { status } = await sent;
    if (status !== 200) throw new Error(`a message was answered ${status}`);
  }
  ending.abort();
  return times;
}
