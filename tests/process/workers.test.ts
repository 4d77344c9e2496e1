import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { startGiftLoad } from './gift-load.ts';
import { giversCode, Installation, until } from './installation.ts';

setDefaultTimeout(300_000);

/** One process for the hosting API, two for pages, and the one that keeps them. */
const TOKEN = 'metrics-token-of-the-test';
const KEY = Buffer.alloc(32, 7).toString('base64');
const host = new Installation({
  METRICS_TOKEN: TOKEN,
  APP_KEY: KEY,
  // Nobody who reaches us here is a proxy.
  TRUSTED_PROXIES: '203.0.113.1',
});
const PERSON = { password: 'plough lantern meadow seven', first_name: 'A', last_name: 'B', terms: true as const };
const sessions = { owner: session(), giver: session(), other: session(), receiver: session() };
const CREDITS = 5_000;

function session(): { secret: string | null } {
  return { secret: null };
}
const api = (who: keyof typeof sessions) => host.client(sessions[who]);
const creditsOf = async (who: keyof typeof sessions) => (await api(who).session.get()).billing.credits ?? NaN;
/** The processes that serve now, by what they do. */
function serving(): { readonly api: readonly number[]; readonly web: readonly number[] } {
  const { pid } = host;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const does = (what: string) =>
    children.map(Number).filter((each) => readFileSync(`/proc/${each}/cmdline`, 'utf8').split('\0').includes(what));
  return { api: does('serve-api'), web: does('serve-web') };
}

/** What an open file is; '' where it was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

beforeAll(async () => {
  await host.start('--workers', '2');
  await api('owner').auth.register({
    body: { ...PERSON, username: 'owner', email: 'owner@example.com', setup: host.setup },
  });
  for (const username of ['giver', 'other', 'receiver'] as const)
    await api(username).auth.register({ body: { ...PERSON, username, email: `${username}@example.com` } });
  const settings = { gift_min_account_days: '0', gift_daily_cap: '0', gift_fee_percent: '0' };
  expect(await host.run('settings', 'set', ...Object.entries(settings).flat())).toMatchObject({ code: 0 });
  await api('owner').adminRedeemCodes.create({
    body: giversCode(CREDITS),
  });
  for (const who of ['giver', 'other'] as const) await api(who).redeem.redeem({ body: { code: 'FOR-GIVERS' } });
});
afterAll(() => host.remove());

test('T18 what a stranger says of their address is not believed, and web processes hold no key and no way to the database', async () => {
  const forged = { 'X-Forwarded-For': '198.51.100.9', 'X-Arrival': '%7B%7D', 'X-Request-Id': 'of-a-stranger' };
  const answer = await fetch(`${host.url}/api/auth/login`, {
    method: 'POST',
    headers: { Origin: host.url, 'Content-Type': 'application/json', ...forged },
    body: JSON.stringify({ login: 'receiver', password: PERSON.password }),
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-request-id')).not.toBe('of-a-stranger');
  const { sessions: found } = await api('receiver').account.sessions();
  expect(new Set(found.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']));
  const foreign = await fetch(`${host.url}/api/auth/logout`, {
    method: 'POST',
    headers: { Origin: 'https://elsewhere.example', Cookie: `${SESSION_COOKIE}=${sessions.receiver.secret}` },
  });
  expect(foreign.status).toBe(403);

  const { web } = serving();
  for (const pid of web)
    for (const secret of [KEY, TOKEN, 'DATABASE_URL', 'APP_KEY'])
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain(secret);
  for (const pid of web) {
    const files = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
    expect(files.some((file) => file.startsWith('socket:'))).toBe(true);
    expect(files.filter((file) => file.includes('spawnpoint.db'))).toEqual([]);
  }
  const socket = readdirSync(host.dataDir).filter((name) => name.endsWith('.sock'));
  expect(socket).toHaveLength(1);
  expect(statSync(join(host.dataDir, socket[0] ?? '')).mode & 0o777).toBe(0o600);
});

test('the metrics are one answer, which counts what every process answered', async () => {
  const ask = (token: string) => fetch(`${host.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
  expect((await ask('another-token-of-a-test')).status).toBe(401);
  const counted = (text: string) => Number(/^spawnpoint_http_requests_total\{status="4xx"\} (\d+)$/m.exec(text)?.[1]);
  const before = counted(await (await ask(TOKEN)).text());
  for (let each = 0; each < 20; each += 1) await fetch(`${host.url}/no-such-page`, { keepalive: false });
  await until(
    async () => counted(await (await ask(TOKEN)).text()),
    (count) => count >= before + 20,
  );
});

test('T63 killed, begun again and replaced under load: no gift is lost or made twice, and only what the kill cut fails', async () => {
  const { user_info: receiver } = await api('receiver').session.get();
  const before = await creditsOf('receiver');
  const load = startGiftLoad({
    url: () => host.url,
    givers: GIVERS.map((who) => sessions[who]),
    recipient: String(receiver.id),
    polled: sessions.owner,
  });
  const all = ({ api, web }: ReturnType<typeof serving>) => api.length === 1 && web.length === 2;
  /** Everybody was answered since then. */
  const goesOn = async () => {
    const then = load.answered();
    await until(
      async () => load.answered(),
      (now) => now.every((count, at) => count >= (then[at] ?? 0) + 3),
    );
  };
  await goesOn();

  // A process for pages is killed: the others answer, and another one comes.
  const first = serving();
  process.kill(first.web[0] ?? 0, 'SIGKILL');
  await until(
    async () => serving(),
    (now) => all(now) && !now.web.includes(first.web[0] ?? 0),
  );
  await goesOn();
  expect(load.failures()).toEqual([]);

  // The hosting API is killed: pages wait for the next one; a command whose connection was cut says that it is not known.
  process.kill(first.api[0] ?? 0, 'SIGKILL');
  await until(
    async () => serving(),
    (now) => all(now) && now.api[0] !== first.api[0],
  );
  await goesOn();
  const cut = load.failures();
  expect(new Set(cut)).toEqual(new Set(cut.length > 0 ? ['POST 503'] : []));
  expect(cut.length).toBeLessThanOrEqual(GIVERS.length);

  // Replaced: the new ones take over before the old ones end, and open streams end in order.
  const old = serving();
  const stream = await fetch(`${host.url}/api/events`, {
    headers: { Cookie: `${SESSION_COOKIE}=${sessions.receiver.secret}` },
  });
  process.kill(host.pid ?? 0, 'SIGHUP');
  await stream.text();
  await until(
    async () => serving(),
    (now) => all(now) && ![...now.api, ...now.web].some((pid) => [...old.api, ...old.web].includes(pid)),
  );
  await goesOn();
  expect(load.failures()).toEqual(cut);

  const given = await load.end();
  expect(given).toBeGreaterThan(10);
  expect(await creditsOf('receiver')).toBe(before + given);
  const left = await Promise.all(GIVERS.map(creditsOf));
  expect(left.reduce((sum, credits) => sum + credits, 0)).toBe(CREDITS * GIVERS.length - given);
});

test('SIGTERM to all of them, as systemd sends it, ends them in order, with 0 and without a rest', async () => {
  const { api: apis, web } = serving();
  const page = fetch(`${host.url}/auth/login`).then((response) => response.text());
  await page;
  for (const pid of [...apis, ...web]) process.kill(pid, 'SIGTERM');
  expect(await host.end('SIGTERM')).toBe(0);
  expect(await page).toContain('</html>');
  for (const pid of [...apis, ...web]) expect(() => process.kill(pid, 0)).toThrow();
  expect(readdirSync(host.dataDir).filter((name) => name.endsWith('.sock'))).toEqual([]);
  expect(await host.run('ledger', 'verify')).toEqual({ code: 0, output: 'the ledger holds\n' });
});

const GIVERS = ['giver', 'other'] as const;
