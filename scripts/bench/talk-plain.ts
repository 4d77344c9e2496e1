import { Database } from 'bun:sqlite';
import { join } from 'node:path';

/**
 * The yardstick of figure n: one commit and one event, and nothing else. POST adds a row in a transaction of its own,
 * flushed as ours are, and says so on the stream at /events. In: a folder and the port, as arguments.
 */
const [, , folder = '.', port = '0'] = process.argv;
const database = new Database(join(folder, 'plain.db'), { create: true });
database.run('PRAGMA journal_mode = WAL');
database.run('PRAGMA synchronous = FULL');
database.run('CREATE TABLE messages (id INTEGER PRIMARY KEY, text TEXT NOT NULL)');
const add = database.query('INSERT INTO messages (text) VALUES (?)');
const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
const event = new TextEncoder().encode('event: tickets\ndata: {}\n\n');
Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  async fetch(request) {
    if (request.method === 'POST') {
      add.run(await request.text());
      for (const stream of streams) stream.enqueue(event);
      return Response.json({ success: true });
    }
    if (!request.url.endsWith('/events')) return new Response('');
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        streams.add(controller);
        controller.enqueue(new TextEncoder().encode(': open\n\n'));
      },
    });
    return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } });
  },
});
