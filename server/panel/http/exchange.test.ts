import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeClock } from '#tests/support/clock.ts';
import { networkError, runPending } from '#tests/support/panel-http.ts';
import { fakeTimer } from '#tests/support/timer.ts';
import {
  createTransport,
  READ_MS,
  WRITE_MS,
  type Exchange,
  type PanelFetch,
  type PanelRequest,
  type Silence,
} from './exchange.ts';

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

/**
 * A machine that gets hold of the line once a whole request has come. In: what it does then. Out: its address, and how
 * many came.
 */
async function line(work: (socket: Socket) => void) {
  const seen = { requests: 0 };
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      seen.requests += 1;
      work(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`, seen };
}
/** A panel that answers. */
function serve(answer: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
  closing.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}
function world(options: { maxBytes?: number; fetch?: PanelFetch } = {}) {
  const clock = fakeClock();
  const timer = fakeTimer(clock);
  const transport = createTransport({ fetch: globalThis.fetch, timer, ...options });
  const send = (url: string, change: Partial<PanelRequest> = {}) =>
    transport.send({ url, method: 'GET', key: 'ptla_secret', body: null, ...change });
  /** Waits for a condition, then lets the time run out. */
  const late = async (holds: () => boolean, ms: number) => {
    while (!holds()) await runPending();
    clock.advance(ms - 1);
    timer.run();
    await runPending();
    const before = timer.waiting;
    clock.advance(1);
    timer.run();
    return before;
  };
  return { timer, send, late };
}
const silence = (why: Silence, sent: boolean): Exchange => ({ kind: 'silence', why, sent });

describe('the way to a panel', () => {
  test('the call asks for JSON with the key, and reads answer, errors and limits', async () => {
    const { send, timer } = world();
    const got: (string | null)[] = [];
    const url = serve(async (request) => {
      got.push(
        request.method,
        request.headers.get('Accept'),
        request.headers.get('Authorization'),
        request.headers.get('Content-Type'),
        await request.text(),
      );
      const errors = [
        { code: 'ValidationException', status: '422', detail: 'no', meta: { source_field: 'email', rule: 'unique' } },
        { code: 'Odd', status: '422', detail: null, meta: { trace: [] } },
      ];
      return Response.json(
        { errors },
        { status: 422, headers: { 'X-RateLimit-Limit': '240', 'X-RateLimit-Remaining': '17', 'Retry-After': '56' } },
      );
    });
    const exchange = await send(url, { method: 'POST', body: { a: 1 } });
    expect(got).toEqual(['POST', 'application/json', 'Bearer ptla_secret', 'application/json', '{"a":1}']);
    expect(exchange).toMatchObject({
      kind: 'answer',
      status: 422,
      json: true,
      rate: { limit: 240, left: 17, retryAfterS: 56 },
      errors: [
        { code: 'ValidationException', detail: 'no', field: 'email', rule: 'unique' },
        { code: 'Odd', detail: '', field: null, rule: null },
      ],
    });
    expect(timer.waiting).toBe(0);
  });

  test('T26 a redirect is not followed, so the key goes nowhere else', async () => {
    let elsewhere = 0;
    const other = serve(() => {
      elsewhere += 1;
      return Response.json({});
    });
    const url = serve(() => Response.redirect(`${other}/auth/login`, 302));
    expect(await world().send(url)).toMatchObject({ kind: 'answer', status: 302, json: false });
    expect(elsewhere).toBe(0);
  });

  test('T26 a page is no answer of the API, whatever its status says; neither is text that claims to be JSON', async () => {
    expect(
      await world().send(serve(() => new Response('<h1>Hi</h1>', { headers: { 'Content-Type': 'text/html' } }))),
    ).toMatchObject({ status: 200, json: false, body: null });
    expect(
      await world().send(serve(() => new Response('{"object":', { headers: { 'Content-Type': 'application/json' } }))),
    ).toMatchObject({ status: 200, json: false, body: null });
    expect(
      await world().send(
        serve(() => new Response('{}', { headers: { 'Content-Type': 'application/vnd.pterodactyl.v1+json' } })),
      ),
    ).toMatchObject({ json: true });
    expect(await world().send(serve(() => new Response(null, { status: 204 })))).toMatchObject({
      status: 204,
      json: true,
      body: null,
    });
  });

  test('T26 a machine that refuses, and a name that leads nowhere, never saw the request', async () => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
    const free = `http://127.0.0.1:${server.port}`;
    await server.stop(true);
    expect(await world().send(free)).toEqual(silence('refused', false));
    const codes = [
      'ENOTFOUND',
      'EAI_AGAIN',
      'EHOSTUNREACH',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'CERT_HAS_EXPIRED',
      'ECONNRESET',
      'EPIPE',
    ];
    const found = codes.map(async (code) => {
      const exchange = await world({ fetch: () => Promise.reject(networkError(code)) }).send(
        'https://panel.example.test/',
      );
      return exchange.kind === 'silence' ? `${exchange.why} ${exchange.sent}` : exchange.kind;
    });
    expect(await Promise.all(found)).toEqual([
      'dns false',
      'dns false',
      'refused false',
      'tls false',
      'tls false',
      'tls false',
      'reset true',
      'reset true',
    ]);
  });

  test('T26 a line that breaks after the request may have carried it', async () => {
    const { url, seen } = await line((socket) => socket.destroy());
    expect(await world().send(url, { method: 'POST', body: {} })).toEqual(silence('reset', true));
    const half = await line((socket) =>
      socket.end('HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"object"'),
    );
    expect(await world().send(half.url, { method: 'POST', body: {} })).toEqual(silence('reset', true));
    expect(seen.requests).toBe(1);
  });

  test('T26 a panel that hangs is left after its time: longer for a command than for a question', async () => {
    for (const [method, ms] of [
      ['GET', READ_MS],
      ['POST', WRITE_MS],
    ] as const) {
      const { url, seen } = await line(() => {});
      const { send, late, timer } = world();
      const answer = send(url, { method, body: method === 'POST' ? {} : null });
      expect(await late(() => seen.requests > 0, ms)).toBe(1);
      expect(await answer).toEqual(silence('timeout', true));
      expect(timer.waiting).toBe(0);
    }
  });

  test('T26 a body that drips is left after the same time', async () => {
    const { url, seen } = await line(
      (socket) =>
        void socket.write(
          'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{"object":',
        ),
    );
    const { send, late } = world();
    const answer = send(url);
    expect(await late(() => seen.requests > 0, READ_MS)).toBe(1);
    expect(await answer).toEqual(silence('timeout', true));
  });

  test('T26 a body without end is cut off', async () => {
    const over = Promise.withResolvers<boolean>();
    const url = serve(() => {
      const body = new ReadableStream({
        pull: (controller) => void controller.enqueue(new Uint8Array(64 * 1024)),
        cancel: () => over.resolve(true),
      });
      return new Response(body, { headers: { 'Content-Type': 'application/json' } });
    });
    expect(await world({ maxBytes: 1024 * 1024 }).send(url)).toEqual(silence('too_large', true));
    expect(await over.promise).toBe(true);
  });

  test('T26 a packed body counts by its unpacked size', async () => {
    const url = serve(
      () =>
        new Response(Bun.gzipSync(new Uint8Array(4 * 1024 * 1024)), {
          headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
        }),
    );
    expect(await world({ maxBytes: 1024 * 1024 }).send(url)).toEqual(silence('too_large', true));
  });

  test('T26 a certificate that is not to be trusted is recognised, and gets no key', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'panel-tls-'));
    closing.push(() => rmSync(folder, { recursive: true }));
    const made = Bun.spawnSync([
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      join(folder, 'key.pem'),
      '-out',
      join(folder, 'cert.pem'),
      '-days',
      '2',
      '-subj',
      '/CN=other.example.test',
    ]);
    expect(made.exitCode).toBe(0);
    let asked = 0;
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: { key: Bun.file(join(folder, 'key.pem')), cert: Bun.file(join(folder, 'cert.pem')) },
      fetch: () => {
        asked += 1;
        return Response.json({});
      },
    });
    closing.push(() => server.stop(true));
    expect(await world().send(`https://127.0.0.1:${server.port}/`)).toEqual(silence('tls', false));
    const plain = serve(() => Response.json({}));
    expect(await world().send(plain.replace('http:', 'https:'))).toEqual(silence('tls', false));
    expect(asked).toBe(0);
  });

  test('a name whose resolution has no end is left as well', async () => {
    let started = false;
    const { send, late } = world({
      fetch: () => {
        started = true;
        return new Promise(() => {});
      },
    });
    const answer = send('https://panel.example.test/');
    expect(await late(() => started, READ_MS)).toBe(1);
    expect(await answer).toEqual(silence('timeout', true));
  });

  test('T26 a command goes over a line of its own, so a kept one that was cut neither loses nor repeats it', async () => {
    const ports = new Set<number>();
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request, own) {
        ports.add(own.requestIP(request)?.port ?? 0);
        return Response.json({});
      },
    });
    closing.push(() => server.stop(true));
    const url = `http://127.0.0.1:${server.port}/`;
    await world().send(url);
    await world().send(url);
    expect(ports.size).toBe(1);
    await world().send(url, { method: 'POST', body: {} });
    await world().send(url, { method: 'DELETE' });
    expect(ports.size).toBe(3);
  });

  test('an address that our own way out does not ask was not asked', async () => {
    const fetch: PanelFetch = () => Promise.reject(Object.assign(new Error('no'), { name: 'OutboundRefused' }));
    expect(await world({ fetch }).send('http://192.0.2.1/')).toEqual(silence('refused', false));
  });
});
