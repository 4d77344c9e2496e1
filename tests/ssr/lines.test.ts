import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { composeWeb } from '#server/compose/web.ts';
import { readConfig } from '#server/env.ts';
import { READ_TIMEOUT_MS, remoteTransport, type ApiTransport } from '#server/http/transport.ts';
import { CEILINGS, ceilingOf, ceilings, LARGEST_BODY } from '#shared/ceilings.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { CLIENT_DIR } from '#tests/support/pages.ts';

/** Over real sockets: what comes broken, endless, slow or not at all, from either side. */
let harness: Harness;
let player: Person;
beforeAll(async () => {
  harness = await openHarness({ sample: true });
  player = await harness.person('player', { credits: 100 });
});
afterAll(() => harness.close());

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** The application as a server, over a transport. */
async function serve(transport: ApiTransport, pages = true): Promise<URL> {
  const handle = await composeWeb({
    config: readConfig({}),
    transport,
    clock: harness.clock,
    ids: harness.host.services.ids,
    log: harness.log,
    local: true,
    pages,
    apiOnly: !pages,
    clientDir: CLIENT_DIR,
  });
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request, own) => handle(request, own),
  });
  open.push(() => server.stop(true));
  return server.url;
}

/** A hosting API of the test's own making. Out: its address. */
async function backend(work: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(work);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

const MB = 1024 * 1024;
/** More than sockets on both sides can hold while nobody reads. */
const MUCH = 40 * MB;

const cookie = () => `__Host-spawnpoint=${player.secret}; user_token=1`;
const until = async (good: () => boolean) => {
  while (!good()) await Bun.sleep(5);
};

/** Sends bytes as they are. Out: what came back until the line was closed, and how many bytes of `flood` could be sent. */
async function raw(
  url: URL,
  head: readonly string[],
  body: { text?: string; flood?: number; leave?: boolean } = {},
): Promise<{ text: string; sent: number }> {
  const socket = connect(Number(url.port), '127.0.0.1');
  let text = '';
  socket.on('data', (data) => (text += data.toString()));
  socket.on('error', () => undefined);
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.text ?? ''}`);
  const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`;
  let sent = 0;
  while (!socket.closed && sent < (body.flood ?? 0)) {
    if (!socket.write(chunk))
      await Promise.race([
        new Promise((resolve) => socket.once('drain', resolve)),
        new Promise((resolve) => socket.once('close', resolve)),
      ]);
    sent += 65_536;
    await Bun.sleep(0);
  }
  if (body.leave) {
    await Bun.sleep(50);
    socket.destroy();
  } else await until(() => socket.closed);
  return { text, sent };
}
const head = (line: string, url: URL, ...more: readonly string[]) => [
  `${line} HTTP/1.1`,
  `Host: ${url.host}`,
  `Origin: ${url.origin}`,
  `Cookie: ${cookie()}`,
  'User-Agent: Mozilla/5.0',
  ...more,
];
const post = (url: URL, path: string, type: string, ...more: readonly string[]) =>
  head(`POST ${path}`, url, `Content-Type: ${type}`, ...more);

describe('the ceiling of a body', () => {
  test('the ceiling belongs to an address: a picture may be 8 MB, attachments 25 MB, everything else 1 MB', () => {
    const find = ceilings([
      { method: 'POST', path: '/api/images', ceiling: 'image' },
      { method: 'POST', path: '/api/tickets/:id/attachments', ceiling: 'attachments' },
      { method: 'PUT', path: '/api/skin', upload: { max: 64 } },
      { path: '/tickets/:id/*', ceiling: 'attachments' },
      { method: 'POST', path: '/api/login' },
    ]);
    expect(
      [
        '/api/images',
        '/api/images/x',
        '/api/tickets/7/attachments',
        '/api/tickets/7/8/attachments',
        '/api/login',
        '/tickets/7',
        '/tickets/7/x',
      ].map((path) => find('POST', path)),
    ).toEqual([
      8 * 1024 * 1024,
      1024 * 1024,
      25 * 1024 * 1024,
      1024 * 1024,
      1024 * 1024,
      25 * 1024 * 1024,
      25 * 1024 * 1024,
    ]);
    expect([find('PUT', '/api/skin'), find('DELETE', '/api/images')]).toEqual([64, CEILINGS.command]);
  });

  test('the ceiling is that of the contract on every endpoint, and lets in what an upload may have', () => {
    const find = ceilings(ENDPOINTS);
    for (const endpoint of ENDPOINTS) {
      const path = endpoint.path.replaceAll(/:\w+/g, 'x');
      expect([endpoint.name, find(endpoint.method, path)]).toEqual([endpoint.name, ceilingOf(endpoint)]);
      expect(ceilingOf(endpoint)).toBeLessThanOrEqual(LARGEST_BODY);
      // A file is let in up to the maximum that its endpoint names.
      if (endpoint.upload) expect([endpoint.name, ceilingOf(endpoint)]).toEqual([endpoint.name, endpoint.upload.max]);
    }
  });

  describe.each(['in this process', 'elsewhere'])('with the hosting API %s', (where) => {
    let url: URL;
    beforeEach(async () => {
      const api =
        where === 'elsewhere' ? remoteTransport((await serve(harness.transport, false)).origin) : harness.transport;
      url = await serve(api);
    });
    /** An address, the type of what it takes, and whether pages answer there. */
    const ADDRESSES = [
      ['/api/earn/redeem', 'application/json'],
      ['/api/auth/login', 'application/json'],
      ['/api/webhooks/stripe', 'application/json'],
      ['/auth/login', 'application/x-www-form-urlencoded'],
      ['/account', 'multipart/form-data; boundary=x'],
    ] as const;

    test.each(ADDRESSES)(
      '%s answers an announced body beyond it at once, and reads nothing of it',
      async (path, type) => {
        const { text } = await raw(url, post(url, path, type, `Content-Length: ${2 ** 40}`));
        expect(text).toStartWith('HTTP/1.1 413');
        expect(text.toLowerCase()).toContain('connection: close');
        if (path.startsWith('/api/')) expect(text).toContain('"error_code":"PAYLOAD_TOO_LARGE"');
        expect(harness.errors).toEqual([]);
      },
    );

    test.each(ADDRESSES)('%s stops reading a body without announced length where it ends', async (path, type) => {
      const { text } = await raw(url, post(url, path, type, 'Transfer-Encoding: chunked'), { flood: 1.2 * MB });
      expect(text).toStartWith('HTTP/1.1 413');
      expect(text.toLowerCase()).toContain('connection: close');
      const { sent } = await raw(url, post(url, path, type, 'Transfer-Encoding: chunked'), { flood: MUCH });
      expect(sent).toBeLessThan(MUCH);
      if (path.startsWith('/api/')) expect(text).toContain('"error_code":"PAYLOAD_TOO_LARGE"');
      expect(harness.errors).toEqual([]);
    });

    test('an address that is not there reads no body without end', async () => {
      const { sent } = await raw(url, post(url, '/api/nothing', 'application/json', 'Transfer-Encoding: chunked'), {
        flood: MUCH,
      });
      expect(sent).toBeLessThan(MUCH);
    });

    test('a length that lies is no way past it', async () => {
      const less = await raw(
        url,
        [...post(url, '/api/earn/redeem', 'application/json', 'Content-Length: 10'), 'Connection: close'],
        { text: '{"code":""} and more' },
      );
      expect(less.text).toStartWith('HTTP/1.1 400');
      const both = await raw(
        url,
        post(url, '/api/earn/redeem', 'application/json', 'Content-Length: 10', 'Transfer-Encoding: chunked'),
        { text: '5\r\n{"a":\r\n0\r\n\r\n' },
      );
      expect(both.text).toStartWith('HTTP/1.1 400');
      expect(harness.errors).toEqual([]);
    });

    test('a body below the ceiling is taken, announced or not', async () => {
      const body = JSON.stringify({ code: 'NO-SUCH-CODE', more: 'x'.repeat(100_000) });
      for (const sent of [body, new Blob([body]).stream()]) {
        const answer = await fetch(new URL('/api/earn/redeem', url), {
          method: 'POST',
          body: sent,
          headers: { 'Content-Type': 'application/json', Origin: url.origin, Cookie: cookie() },
        });
        expect([answer.status, ((await answer.json()) as { error_code: string }).error_code]).toEqual([
          422,
          'VALIDATION_FAILED',
        ]);
      }
    });
  });
});

describe('a hosting API elsewhere', () => {
  /** Far less than production waits: a test must not. */
  const QUICK_MS = 50;
  const browser = { 'User-Agent': 'Mozilla/5.0', Accept: 'text/html' };

  test('a hosting API that hangs is shown to the visitor of a page within three seconds', () =>
    expect(READ_TIMEOUT_MS).toBeLessThan(3_000));

  const BROKEN: readonly [
    what: string,
    readMs: number,
    work: (request: IncomingMessage, response: ServerResponse) => void,
  ][] = [
    ['does not answer', QUICK_MS, () => undefined],
    [
      'begins and does not end',
      QUICK_MS,
      (_, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"success":true,'),
    ],
    [
      'breaks off',
      READ_TIMEOUT_MS,
      (_, response) => {
        response
          .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' })
          .write('{"success":true,');
        setTimeout(() => response.destroy(), 10);
      },
    ],
    [
      'is another program',
      READ_TIMEOUT_MS,
      (_, response) => void response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>'),
    ],
  ];
  test.each(BROKEN)('a hosting API that %s gives pages that say so', async (what, readMs, work) => {
    const url = await serve(remoteTransport(await backend(work), readMs));
    for (const path of ['/dashboard', '/auth/login', '/nowhere']) {
      const page = await fetch(new URL(path, url), { headers: { ...browser, Cookie: cookie() } });
      const html = await page.text();
      expect([path, page.status, page.headers.get('content-type')]).toEqual([
        path,
        what === 'is another program' ? 500 : 503,
        'text/html; charset=utf-8',
      ]);
      expect(html).toContain('<main');
      if (page.status === 503) expect(html).toContain('The server is currently unavailable.');
    }
    harness.errors.splice(0);
  });

  test('a hosting API that hangs on what a page reads, and on nothing else, gives the same page', async () => {
    const real = (await serve(harness.transport, false)).origin;
    const through = await backend((request, response) => {
      if (request.url?.startsWith('/api/dashboard') || request.url?.startsWith('/api/servers')) return;
      void fetch(real + (request.url ?? ''), { headers: request.headers as Record<string, string> }).then(
        async (answer) =>
          response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text()),
      );
    });
    const page = await fetch(new URL('/dashboard', await serve(remoteTransport(through, 500))), {
      headers: { ...browser, Cookie: cookie() },
    });
    expect(page.status).toBe(503);
    expect(await page.text()).toContain('The server is currently unavailable.');
    // A fault of the installation, and one that its operator wants to read of.
    expect(harness.errors.splice(0)).toMatchObject([{ event: 'page.failed', fields: { error: 'SERVER_UNAVAILABLE' } }]);
  });

  test('a hosting API that hangs blocks no visitor who came the wrong way, and they are shown their way', async () => {
    const handle = await composeWeb({
      config: readConfig({}),
      transport: remoteTransport(await backend(() => undefined), QUICK_MS),
      clock: harness.clock,
      ids: harness.host.services.ids,
      log: harness.log,
      local: false,
      pages: true,
      clientDir: CLIENT_DIR,
    });
    const answer = await handle(new Request('http://127.0.0.1/dashboard', { headers: browser }), {
      requestIP: () => ({ address: '203.0.113.9' }),
      timeout: () => undefined,
    });
    expect(answer.status).toBe(403);
    expect(harness.errors).toEqual([]);
  });

  test('a hosting API takes a body while it is still being sent, no faster than it wants, and hears when the sender leaves', async () => {
    const heard = { first: false, ended: false, left: false, bytes: 0 };
    let slow: IncomingMessage | null = null;
    const url = await serve(
      remoteTransport(
        await backend((request) => {
          slow = request;
          request.on('data', (data: Buffer) => {
            heard.first = true;
            heard.bytes += data.length;
          });
          request.on('end', () => (heard.ended = true));
          request.on('close', () => (heard.left = !heard.ended));
        }),
      ),
    );
    let give: (bytes: Uint8Array | null) => void = () => undefined;
    const parts = new ReadableStream<Uint8Array>({
      start: (controller) => void (give = (bytes) => (bytes ? controller.enqueue(bytes) : controller.close())),
    });
    const leaving = new AbortController();
    const asked = fetch(new URL('/api/earn/redeem', url), {
      method: 'POST',
      body: parts,
      signal: leaving.signal,
      headers: { 'Content-Type': 'application/json', Origin: url.origin, Cookie: cookie() },
    });
    asked.catch(() => undefined);
    give(new TextEncoder().encode('{"code":'));
    await until(() => heard.first);
    expect([heard.ended, slow === null]).toEqual([false, false]);
    leaving.abort();
    await until(() => heard.left);
    expect(harness.errors).toEqual([]);
  });

  test('a hosting API has its answer passed on while it still makes it, and hears when the reader leaves', async () => {
    let left = false;
    const url = await serve(
      remoteTransport(
        await backend((request, response) => {
          response.writeHead(200, { 'Content-Type': 'text/csv' }).write('first line\n');
          response.on('close', () => (left = true));
          request.resume();
        }),
      ),
    );
    const leaving = new AbortController();
    const answer = await fetch(new URL('/api/account/statement.csv', url), {
      headers: { Cookie: cookie(), 'Accept-Encoding': 'gzip' },
      signal: leaving.signal,
    });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain('first line');
    expect(left).toBe(false);
    leaving.abort();
    await until(() => left);
    expect(harness.errors).toEqual([]);
  });

  test('a hosting API compresses once: what it packed goes on as it is, and what it did not pack comes to pages as it is', async () => {
    const asked: (string | undefined)[] = [];
    const real = (await serve(harness.transport, false)).origin;
    const through = await backend((request, response) => {
      asked.push(request.headers['accept-encoding']);
      void fetch(real + (request.url ?? ''), {
        headers: request.headers as Record<string, string>,
        decompress: false,
      }).then(async (answer) =>
        response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.bytes()),
      );
    });
    const url = await serve(remoteTransport(through));
    const answer = await fetch(new URL('/api/system/settings', url), { headers: { 'Accept-Encoding': 'gzip' } });
    expect([answer.headers.get('content-encoding'), ((await answer.json()) as { success: boolean }).success]).toEqual([
      'gzip',
      true,
    ]);
    expect(asked.splice(0)).toEqual(['gzip']);
    const page = await fetch(new URL('/dashboard', url), {
      headers: { ...browser, Cookie: cookie(), 'Accept-Encoding': 'zstd' },
    });
    expect([page.status, page.headers.get('content-encoding')]).toEqual([200, 'zstd']);
    expect(await page.text()).toContain('player');
    expect(new Set(asked)).toEqual(new Set(['identity']));
  });
});

describe('S9 a visitor who leaves', () => {
  describe.each(['in this process', 'elsewhere'])('with the hosting API %s', (where) => {
    let url: URL;
    beforeEach(async () => {
      url = await serve(
        where === 'elsewhere' ? remoteTransport((await serve(harness.transport, false)).origin) : harness.transport,
      );
    });
    test.each([
      ['in the middle of a command', 'POST /api/earn/redeem', 'application/json', 'Content-Length: 1000', '{"code":"a'],
      [
        'in the middle of a command without length',
        'POST /api/earn/redeem',
        'application/json',
        'Transfer-Encoding: chunked',
        '3\r\n{"c\r\n',
      ],
      ['in the middle of a file', 'PUT /api/account/skin', 'image/png', 'Content-Length: 1000', 'abc'],
      [
        'in the middle of a form',
        'POST /auth/login',
        'application/x-www-form-urlencoded',
        'Content-Length: 1000',
        'login=a',
      ],
      [
        'in the middle of a form with a file',
        'POST /account',
        'multipart/form-data; boundary=x',
        'Content-Length: 1000',
        '--x\r\n',
      ],
    ] as const)('%s is no error of ours', async (_, line, type, length, text) => {
      await raw(url, head(line, url, `Content-Type: ${type}`, length), { text, leave: true });
      await Bun.sleep(100);
      expect(harness.errors).toEqual([]);
    });

    test.each([
      '/dashboard',
      '/store',
      '/leaderboard',
      '/api/user/session',
      '/api/events',
      '/api/account/statement.csv',
    ])('%s at any moment is no error of ours', async (path) => {
      for (const ms of [0, 1, 2, 5, 10, 20, 50]) {
        const socket = connect(Number(url.port), '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(`${head(`GET ${path}`, url, 'Accept-Encoding: zstd').join('\r\n')}\r\n\r\n`);
        await Bun.sleep(ms);
        socket.destroy();
      }
      await Bun.sleep(200);
      expect(harness.errors).toEqual([]);
    });
  });
});
