import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, spyOn, test } from 'bun:test';
import { FILE_PART_BYTES } from '#shared/schemas/server-files.ts';
import { ARRIVAL_HEADER } from './arrival.ts';
import { remoteTransport, socketTransport } from './transport.ts';
import { failure, gate, info, UNAVAILABLE, openOtherSide, visitor } from '#tests/support/transport.ts';

const other = openOtherSide();

describe('the hosting API of this machine, through its socket', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-transport-'));
  const path = join(folder, 'api.sock');
  let listening: ReturnType<typeof Bun.serve> | null = null;
  const listen = () =>
    (listening = Bun.serve({ unix: path, maxRequestBodySize: 2 ** 30, fetch: (request) => other.handle(request) }));
  const close = async () => {
    await listening?.stop(true);
    listening = null;
  };
  afterEach(close);
  afterAll(() => rmSync(folder, { recursive: true }));
  const forever = new AbortController().signal;
  const transport = (streams = forever) => socketTransport(path, streams);
  const post = (body: BodyInit) =>
    new Request('https://play.example.com/api/gifts', { method: 'POST', body, headers: { 'content-type': 'a/b' } });

  test('reads and commands wait while nobody listens, with their bodies whole, and are sent once', async () => {
    const bodies: string[] = [];
    other.handle = async (request) => {
      bodies.push(await request.text());
      return new Response('ok');
    };
    const upload = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const part of ['a', 'b', 'c']) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });
    const looked = gate();
    const { sleep } = Bun;
    spyOn(Bun, 'sleep').mockImplementation((ms) => {
      looked.resolve();
      return sleep(ms);
    });
    const answers = [
      transport().fetcher(visitor(), () => undefined)('/api/account', {}),
      transport().forward(post('text'), info()),
      transport().forward(post(upload), info()),
    ];
    await looked.promise;
    listen();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(bodies.toSorted()).toEqual(['', 'abc', 'text']);
  });

  test('T63 a command whose connection was cut is not sent again, and a read is', async () => {
    const cut = async (request: Request): Promise<Response> => {
      await request.text();
      other.handle = () => new Response('from the next');
      await close();
      listen();
      return new Response('too late');
    };
    let commands = 0;
    listen();
    other.handle = (request) => {
      commands += 1;
      return cut(request);
    };
    expect(await failure(transport().forward(post('{}'), info()))).toMatchObject(UNAVAILABLE);
    expect(commands).toBe(1);
    other.handle = cut;
    const read = await transport().fetcher(visitor(), () => undefined)('/api/account', {});
    expect(await read.text()).toBe('from the next');
  });

  test('a hosting API that stays away is unavailable after a while, and is not ready', async () => {
    let nowMs = 0;
    spyOn(performance, 'now').mockImplementation(() => (nowMs += 5_000));
    expect(await failure(transport().forward(post('{}'), info()))).toMatchObject(UNAVAILABLE);
    expect(await transport().ready()).toBe(false);
    other.handle = () => new Response('');
    listen();
    expect(await transport().ready()).toBe(true);
  });

  test('how a request arrived is said through the socket, and to nobody over HTTP', async () => {
    const arrivals: (string | null)[] = [];
    other.handle = ({ headers }) => {
      arrivals.push(headers.get(ARRIVAL_HEADER));
      return new Response('ok');
    };
    listen();
    const arrival = () => 'how-it-arrived';
    await transport().forward(post('{}'), info({ arrival }));
    await transport().fetcher(visitor({ arrival }), () => undefined)('/api/account', {});
    await remoteTransport(other.base).forward(post('{}'), info({ arrival }));
    expect(arrivals).toEqual(['how-it-arrived', 'how-it-arrived', null]);
  });

  test('an event stream ends in order when this process stops, and what it came from is let go', async () => {
    const cancelled = gate();
    other.handle = () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode(': open')),
          cancel: () => cancelled.resolve(),
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    listen();
    const stopping = new AbortController();
    const answer = await transport(stopping.signal).forward(new Request('https://play.example.com/api/events'), info());
    const reader = answer.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(': open');
    const rest = reader?.read();
    stopping.abort();
    expect((await rest)?.done).toBe(true);
    await cancelled.promise;
  });

  test('T52 a slow reader and a slow hosting API hold back what is long: nothing is kept in memory', async () => {
    // As much as a part of a file may have.
    const PARTS = 64;
    const PART = FILE_PART_BYTES / PARTS;
    let made = 0;
    const parts = () => {
      made = 0;
      return new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            made += 1;
            controller.enqueue(new Uint8Array(PART));
            if (made === PARTS) controller.close();
          },
        },
        { highWaterMark: 0 },
      );
    };
    /** What was made when nothing more of it is for a while. */
    const settled = async (): Promise<number> => {
      for (let before = -1; before !== made; await Bun.sleep(100)) before = made;
      return made;
    };
    listen();
    other.handle = () => new Response(parts(), { headers: { 'content-type': 'application/octet-stream' } });
    const answer = await transport().forward(new Request('https://play.example.com/api/account'), info());
    expect(await settled()).toBeLessThan(PARTS / 2);
    expect((await answer.bytes()).length).toBe(PART * PARTS);

    const begin = gate();
    other.handle = async (request) => {
      await begin.promise;
      return new Response(String((await request.bytes()).length));
    };
    const path = '/api/servers/01890000-0000-7000-8000-000000000000/file-uploads/a?at=0';
    const sent = transport().forward(
      new Request(`https://play.example.com${path}`, { method: 'PUT', body: parts() }),
      info(),
    );
    expect(await settled()).toBeLessThan(PARTS / 2);
    begin.resolve();
    expect(await (await sent).text()).toBe(String(FILE_PART_BYTES));
  });
});
