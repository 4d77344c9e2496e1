import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { composeWeb } from '#server/compose/web.ts';
import { readConfig } from '#server/env.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { call } from '#tests/support/call.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { CLIENT_DIR, openPages, type Pages } from '#tests/support/pages.ts';

let harness: Harness;
let pages: Pages;
let player: Person;

beforeAll(async () => {
  harness = await openHarness({ sample: true });
  pages = await openPages(harness);
  player = await harness.person('player', { credits: 500 });
});
afterAll(() => harness.close());

const codingOf = (response: Response) => response.headers.get('content-encoding');
const accepts = (coding: string) => ({ headers: { 'Accept-Encoding': coding }, secret: player.secret });
/** A page without what is new in each: nonces, ids, times. */
const steady = (html: string) => html.replaceAll(/nonce="[^"]*"|[0-9a-f-]{36}|"now":"[^"]*"/g, '');
async function through(env: Record<string, string>) {
  const handle = await composeWeb({
    config: readConfig(env),
    transport: harness.transport,
    clock: harness.clock,
    ids: harness.host.services.ids,
    log: harness.log,
    local: true,
    pages: true,
    clientDir: CLIENT_DIR,
  });
  return async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    handle(new Request(`http://127.0.0.1${path}`, { method, headers }), {
      requestIP: () => ({ address: '127.0.0.1' }),
      timeout: () => undefined,
    });
}

describe('a page', () => {
  test('a page comes compressed, is the same page, and says that caches must distinguish its codings', async () => {
    const plain = await (await pages.get('/dashboard', { secret: player.secret })).text();
    for (const [coding, unpack] of [
      ['zstd', zstdDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const response = await pages.get('/dashboard', accepts(coding));
      expect([response.status, codingOf(response), response.headers.get('vary')]).toEqual([
        200,
        coding,
        'Cookie, Accept-Language, Accept-Encoding',
      ]);
      expect(response.headers.get('etag')).toBeNull();
      const bytes = await response.bytes();
      expect(bytes.length).toBeLessThan(plain.length / 2);
      expect(steady(unpack(bytes).toString())).toBe(steady(plain));
    }
  });

  test('a page keeps its cookies and its status', async () => {
    const response = await pages.get('/server/01890000-0000-7000-8000-000000000000', accepts('zstd'));
    expect([response.status, codingOf(response)]).toEqual([404, 'zstd']);
    const guest = await pages.post(
      '/auth/login',
      { login: 'nobody', password: 'not the password' },
      { headers: { 'Accept-Encoding': 'gzip' } },
    );
    expect([guest.status, codingOf(guest)]).toEqual([200, 'gzip']);
    expect(guest.headers.getSetCookie().some((line) => line.startsWith('__Host-spawnpoint-device='))).toBe(true);
  });

  test('a page is not compressed where a proxy in front does that', async () => {
    const get = await through({ COMPRESSION: 'off' });
    const response = await get('/auth/login', { 'Accept-Encoding': 'zstd, gzip', 'User-Agent': 'Mozilla/5.0' });
    expect([response.status, codingOf(response), response.headers.get('vary')]).toEqual([
      200,
      null,
      'Cookie, Accept-Language',
    ]);
  });

  test('a page asked for its headers alone has no body, and leaves no error behind', async () => {
    const get = await through({});
    for (const path of ['/auth/login', '/dashboard', '/terms-of-service']) {
      const response = await get(
        path,
        { Cookie: `__Host-spawnpoint=${player.secret}; user_token=1`, 'Accept-Encoding': 'zstd' },
        'HEAD',
      );
      expect([path, await response.text(), codingOf(response)]).toEqual([path, '', null]);
    }
    expect(harness.errors).toEqual([]);
  });

  test('a page says in its description what the host offers, in the language of the visitor', async () => {
    const find = async (locale: string) =>
      /<meta name="description" content="([^"]*)"/.exec(
        await (await pages.get('/auth/login', { headers: { Cookie: `locale=${locale}` } })).text(),
      )?.[1];
    expect(await find('en')).toContain('Spawnpoint');
    const all = await Promise.all(['en', 'de', 'fr', 'es', 'ro'].map(find));
    expect(new Set(all).size).toBe(5);
  });
});

describe('answers of the API', () => {
  test('answers in JSON and CSV come compressed, and event streams never do', async () => {
    const send = (path: string) => pages.get(path, accepts('gzip'));
    const movements = await send('/api/system/settings');
    expect([codingOf(movements), JSON.parse(gunzipSync(await movements.bytes()).toString()).success]).toEqual([
      'gzip',
      true,
    ]);
    for (let turn = 0; turn < 30; turn += 1) await harness.creditPerson(player.id, 1);
    const csv = await send('/api/account/statement.csv');
    expect(codingOf(csv)).toBe('gzip');
    expect(
      gunzipSync(await csv.bytes())
        .toString()
        .split('\n').length,
    ).toBeGreaterThan(30);
    const events = await send('/api/events');
    expect([events.headers.get('content-type'), codingOf(events)]).toEqual(['text/event-stream; charset=utf-8', null]);
    await events.body?.cancel();
    const session = await send('/api/auth/2fa/waiting');
    expect([codingOf(session), JSON.parse(await session.text())]).toEqual([
      null,
      { success: true, error_code: null, passkey_domain: null, waiting: false },
    ]);
  });

  test('answers that hold what is shown once are never compressed, nor are pages that were made of them', async () => {
    await call(harness, player, 'POST', '/api/auth/2fa/setup', { password: PASSWORD });
    const answer = await pages.get('/api/auth/2fa', accepts('gzip, zstd'));
    expect([codingOf(answer), answer.headers.get('cache-control')]).toEqual([null, 'no-store, no-cache, no-transform']);
    expect(((await answer.json()) as { pending: { secret: string } }).pending.secret).toBeString();
    const page = await pages.get('/auth/2fa/setup', accepts('gzip, zstd'));
    expect([page.status, codingOf(page), page.headers.get('cache-control')]).toEqual([
      200,
      null,
      'no-store, no-transform',
    ]);
    expect(await page.text()).toContain('sp-qr');
  });

  test.each(['/auth/reset-password?token=abc', '/auth/verify?token=abc', '/auth/register?setup=abc'])(
    'a page behind a link that opens a door is not compressed: %s',
    async (path) => {
      const page = await pages.get(path, { headers: { 'Accept-Encoding': 'zstd' } });
      expect([page.status, codingOf(page)]).toEqual([200, null]);
    },
  );

  test('every endpoint whose answer names a secret is declared to hold one', () => {
    const names = (schema: unknown): string[] =>
      JSON.stringify(schema, (key, value: unknown) => (key === '~standard' ? undefined : value)) === undefined
        ? []
        : Object.entries((schema as { def?: { shape?: object } }).def?.shape ?? {}).flatMap(([name, inner]) => [
            name,
            ...names(unwrapped(inner)),
          ]);
    const unwrapped = (schema: { def?: { innerType?: never; element?: never } }): unknown =>
      schema.def?.innerType
        ? unwrapped(schema.def.innerType)
        : schema.def?.element
          ? unwrapped(schema.def.element)
          : schema;
    const secret = /^(secret|token|recovery_codes|codes|password|api_key)$/;
    const found = ENDPOINTS.filter(({ response }) => names(response).some((name) => secret.test(name)));
    // `links.password` of a server is the address of a page; of ways in it is said whether and how many there are.
    const known = ['servers.get', 'adminUserDetails.ways', 'images.config'];
    const undeclared = found
      .filter((endpoint) => !endpoint.secret && !known.includes(endpoint.name))
      .map(({ name }) => name);
    expect(undeclared).toEqual([]);
    expect(ENDPOINTS.filter(({ secret: held }) => held).length).toBeGreaterThanOrEqual(4);
  });
});

describe('what search engines and browsers read', () => {
  test('robots.txt names what is not for them', async () => {
    const answer = await pages.get('/robots.txt');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await answer.text()).toBe('User-agent: *\nDisallow: /api/\nDisallow: /mc-admin\nDisallow: /errors/\n');
    expect(await (await harness.http('/robots.txt')).text()).toBe('User-agent: *\nDisallow: /\n');
  });

  test('S11 HTTPS is promised for this host alone, and for those below it where the operator says so', async () => {
    const secure = {
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'panel.example.com',
      'X-Forwarded-For': '203.0.113.9',
    };
    const promise = async (env: Record<string, string>, headers: Record<string, string>) => {
      const get = await through(env);
      return Promise.all(
        ['/auth/login', '/api/system/settings', '/healthz', '/nowhere'].map(async (path) =>
          (await get(path, headers)).headers.get('strict-transport-security'),
        ),
      );
    };
    expect(await promise({}, secure)).toEqual(Array.from({ length: 4 }, () => 'max-age=31536000'));
    expect(await promise({ HSTS_SUBDOMAINS: 'on' }, secure)).toEqual(
      Array.from({ length: 4 }, () => 'max-age=31536000; includeSubDomains'),
    );
    expect(await promise({ HSTS_SUBDOMAINS: 'on' }, {})).toEqual([null, null, null, null]);
  });
});
