import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { composeWeb } from '#server/compose/web.ts';
import { readConfig } from '#server/env.ts';
import type { HttpApp } from '#server/http/app.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { href } from '#shared/routes/href.ts';
import { codeOf } from '#tests/support/coins.ts';
import { confirmWho, openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openSigningIn } from '#tests/support/sso/signing-in.ts';

// Shows behaviour 8.4 and attacks T18, T36, T37, T57: the address of the installation and its trusted proxies are
// settings, hold at once, and no header of a stranger ever takes their place.

const LANTERN = 'https://lantern.example';
const PROXY = '198.51.100.10';
const VISITOR = '203.0.113.77';

let h: Harness;
let owner: Person;
let web: HttpApp;

async function open(environment: Record<string, string> = {}): Promise<void> {
  const { appUrl, trustedProxies } = readConfig(environment);
  h = await openHarness({ config: { appUrl, trustedProxies } });
  owner = await h.person('owner', { permissions: ['admin.root'] });
  web = await composeWeb({
    config: readConfig(environment),
    transport: h.transport,
    clock: h.clock,
    ids: { uuid: () => crypto.randomUUID(), token: () => 'x', hash: (text) => text },
    log: h.log,
    reach: h.host.services.reach,
    local: false,
    pages: false,
  });
}
beforeEach(() => open());
afterEach(() => h.close());

/** A request that comes from a machine, with whatever headers. */
const from = (socket: string, path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
  web(new Request(`http://127.0.0.1:3000${path}`, init), {
    requestIP: () => ({ address: socket }),
    timeout: () => undefined,
  });
const asOwner = (headers: Record<string, string> = {}) => ({
  cookie: `${SESSION_COOKIE}=${owner.secret}`,
  'content-type': 'application/json',
  ...headers,
});
const review = async (socket: string, values: Record<string, string>, headers: Record<string, string> = {}) => {
  const changes = Object.entries(values).map(([key, value]) => ({ key, value, revision: 0 }));
  const response = await from(socket, '/api/admin/settings/review', {
    method: 'POST',
    headers: asOwner({ 'sec-fetch-site': 'same-origin', ...headers }),
    body: JSON.stringify({ changes }),
  });
  return (await response.json()) as { reach: { now: object; after: object } | null };
};
/** The link in the e-mail that a visitor asks for, whatever the request claims about itself. */
async function resetLink(): Promise<string> {
  await h.db.sql('DELETE FROM mails');
  const response = await from('127.0.0.1', '/api/auth/forgot', {
    method: 'POST',
    body: JSON.stringify({ login: 'owner' }),
    headers: {
      'content-type': 'application/json',
      origin: 'http://evil.example',
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    },
  });
  expect(response.status).toBe(200);
  await h.drainJobs();
  const [mail] = await h.db.sql<{ text: string }>('SELECT text FROM mails');
  return /https?:\/\/[^/\s]+/.exec(mail?.text ?? '')?.[0] ?? '';
}

describe('the address of the installation', () => {
  test('T36 links in e-mails follow the setting at once, then the machine again, and never a header', async () => {
    expect(await resetLink()).toBe('http://127.0.0.1:3000');
    h.clock.advance(3_600_000);
    await h.set({ app_url: `${LANTERN}/` });
    expect(await resetLink()).toBe(LANTERN);
    h.clock.advance(3_600_000);
    await h.set({ app_url: '' });
    expect(await resetLink()).toBe('http://127.0.0.1:3000');
  });

  test('payments, log-ins elsewhere, passkeys and the public settings follow it without a restart', async () => {
    let sent = '';
    const stripe = Bun.serve({
      port: 0,
      fetch: async (request) => {
        sent += await request.text();
        return new Response('{}', { status: 400 });
      },
    });
    await h.set({
      app_url: LANTERN,
      outbound_private_networks: true,
      discord_client_id: '123456789012345678',
      discord_client_secret: 'hush',
      stripe_enabled: true,
      stripe_secret_key: 'sk_test_1',
      stripe_webhook_secret: 'whsec_1',
      stripe_api_url: `http://127.0.0.1:${stripe.port}`,
    });
    await confirmWho(owner);
    const { id } = await owner.api.adminCreditPackages.create({
      body: { name: 'S', price_minor: 500, currency: 'EUR', credits: 100, bonus: 0, position: 1, visible: true },
    });
    const price = { price_minor: 500, currency: 'EUR', credits: 100 } as const;
    await owner.api.payments.create({ body: { provider: 'stripe', package_id: id, ...price } }).catch(() => null);
    await h.drainJobs();
    await stripe.stop(true);
    expect(new URLSearchParams(sent).get('success_url')).toStartWith(`${LANTERN}/store/orders/`);
    const { url } = await owner.api.linked.startDiscord();
    expect(new URL(url).searchParams.get('redirect_uri')).toBe(`${LANTERN}${href('account.discord')}`);
    expect((await owner.api.passkeys.list()).domain).toBe('lantern.example');
    expect((await h.guest.system.settings()).settings.app_url).toBe(LANTERN);
    const document = (await (await from('127.0.0.1', '/api/openapi.json')).json()) as { servers: { url: string }[] };
    expect(document.servers[0]?.url).toBe(LANTERN);
  });

  test('a log-in with a provider comes back to the address of the moment', async () => {
    const signing = await openSigningIn('sqlite', { appUrl: null });
    const backTo = async () => new URL(await signing.start(signing.visitor())).searchParams.get('redirect_uri');
    expect(await backTo()).toBe(`http://127.0.0.1:3000${href('auth.ssoCallback')}`);
    await signing.harness.set({ app_url: LANTERN });
    expect(await backTo()).toBe(`${LANTERN}${href('auth.ssoCallback')}`);
    await signing.close();
  });

  test('APP_URL holds in its place, and the page of the settings says so', async () => {
    await h.close();
    await open({ APP_URL: 'https://panel.example.com', TRUSTED_PROXIES: '127.0.0.1' });
    await h.set({ app_url: LANTERN, trusted_proxies: PROXY });
    expect(h.host.services.reach()).toEqual({ appUrl: 'https://panel.example.com', trustedProxies: ['127.0.0.1'] });
    expect(await resetLink()).toBe('https://panel.example.com');
    const { rows } = await owner.api.adminSettings.list();
    const variables = rows.filter(({ overridden_by }) => overridden_by !== null);
    expect(Object.fromEntries(variables.map(({ key, overridden_by: by }) => [key, by]))).toEqual({
      app_url: 'APP_URL',
      trusted_proxies: 'TRUSTED_PROXIES',
    });
  });

  test('T57 only an owner chooses where every link to a new password leads, and whom proxies are', async () => {
    const staff = await h.person('staff', { permissions: ['admin.settings.view', 'admin.settings.edit'] });
    for (const [key, value] of [
      ['app_url', 'https://evil.example'],
      ['trusted_proxies', '203.0.113.0/24'],
    ] as const) {
      const body = { changes: [{ key, value, revision: 0 }], confirmed: true };
      expect(await codeOf(staff.api.adminSettings.save({ body }))).toBe('VALIDATION_FAILED');
      expect(h.host.services.settings.current()[key]).toBe('');
    }
  });

  test('T37 the setting lets no other origin in, and the address that a browser is at stays good after a change', async () => {
    await h.set({ app_url: LANTERN });
    const post = async (origin: string) => {
      const response = await from('127.0.0.1', '/api/auth/logout', { method: 'POST', headers: { origin } });
      return ((await response.json()) as { error_code?: string }).error_code ?? null;
    };
    expect(await post(LANTERN)).toBe('ORIGIN_REFUSED');
    expect(await post('http://127.0.0.1:3000')).not.toBe('ORIGIN_REFUSED');
  });

  test.each([
    'javascript:alert(1)',
    'ftp://lantern.example',
    'lantern.example',
    'https://',
    'https://user:secret@lantern.example',
    'https://lantern.example/path',
    'https://lantern.example?x=1',
    'https://lantern.example#x',
    'https://lantern.example\\@evil.example',
    'https://lantern.example evil.example',
    'https://lantern.example\r\nX: 1',
    'https://[::1',
  ])('T54 an address is scheme, host and port: “%s” is refused at its field', async (app_url) => {
    expect(h.set({ app_url })).rejects.toMatchObject({ fields: { app_url: ['INVALID'] } });
  });

  test('a review counts whose passkeys another domain loses, and nobody’s at the same one', async () => {
    await h.db.sql(
      `INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports, multi_device, backed_up, name,
        created_ms) VALUES ('p', ?, 'c', 'k', 0, '', 0, 0, 'Key', 1), ('q', ?, 'd', 'k', 0, '', 0, 0, 'Key', 1)`,
      [owner.id, owner.id],
    );
    const affected = async (value: string) => {
      const body = { changes: [{ key: 'app_url', value, revision: 0 }] };
      return (await owner.api.adminSettings.review({ body })).differences[0]?.affected;
    };
    expect(await affected(LANTERN)).toEqual({ who: 'usersWithPasskey', count: 1, more: false });
    expect(await affected('http://127.0.0.1:8080')).toBeNull();
  });
});

describe('trusted proxies', () => {
  const seen = async (socket: string, forwarded: string) => {
    const response = await from(socket, '/api/admin/settings', {
      method: 'PATCH',
      headers: asOwner({ 'sec-fetch-site': 'same-origin', 'x-forwarded-for': forwarded }),
      body: JSON.stringify({ changes: [{ key: 'app_name', value: `Lantern ${revision}`, revision }], confirmed: true }),
    });
    expect(response.status).toBe(200);
    revision += 1;
    h.clock.advance(1);
    const [row] = await h.db.sql<{ address: string }>(
      "SELECT address FROM audit WHERE action = 'settings.set' AND target = 'app_name' ORDER BY at_ms DESC, id DESC",
    );
    return row?.address;
  };
  let revision = 0;
  beforeEach(() => {
    revision = 0;
  });

  test('T18 a proxy of the setting is believed at once and until it is taken out, and nobody else ever', async () => {
    expect(await seen(PROXY, VISITOR)).toBe(PROXY);
    await h.set({ trusted_proxies: `${PROXY}\n\n2001:db8::/32` });
    expect(await seen(PROXY, VISITOR)).toBe(VISITOR);
    expect(await seen('2001:db8::5', VISITOR)).toBe(VISITOR);
    expect(await seen('198.51.100.11', VISITOR)).toBe('198.51.100.11');
    // A hop that a visitor wrote in front of their own address.
    expect(await seen(PROXY, `192.0.2.66, ${VISITOR}`)).toBe(VISITOR);
    await h.set({ trusted_proxies: '' });
    expect(await seen(PROXY, VISITOR)).toBe(PROXY);
  });

  test('T18 forged headers dodge no limit: an address that is counted stays the same whatever it claims', async () => {
    await h.set({ trusted_proxies: PROXY, limit_reset: 2 });
    const ask = (socket: string, forwarded: string) =>
      from(socket, '/api/auth/forgot', {
        method: 'POST',
        body: JSON.stringify({ login: 'nobody' }),
        headers: {
          'content-type': 'application/json',
          'sec-fetch-site': 'same-origin',
          'x-forwarded-for': forwarded,
          'cf-connecting-ip': forwarded,
          'x-real-ip': forwarded,
        },
      });
    const limited = async (socket: string, hops: (turn: number) => string) => {
      const statuses = [];
      for (let turn = 0; turn < 4; turn += 1) statuses.push((await ask(socket, hops(turn))).status);
      return statuses;
    };
    expect(await limited('192.0.2.50', (turn) => `203.0.113.${turn}`)).toEqual([200, 200, 429, 429]);
    expect(await limited(PROXY, (turn) => `203.0.113.${turn}, 192.0.2.51`)).toEqual([200, 200, 429, 429]);
  });

  test('a review says how the owner’s own request would be read, and at which address', async () => {
    const headers = { 'x-forwarded-for': VISITOR, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'lantern.example' };
    expect((await review(PROXY, { trusted_proxies: PROXY }, headers)).reach).toEqual({
      now: { address: PROXY, origin: 'http://127.0.0.1:3000', blocked: false },
      after: { address: VISITOR, origin: LANTERN, blocked: false },
    });
    await h.set({ trusted_proxies: PROXY });
    expect((await review(PROXY, { app_url: LANTERN }, headers)).reach).toEqual({
      now: { address: VISITOR, origin: LANTERN, blocked: false },
      after: { address: VISITOR, origin: LANTERN, blocked: false },
    });
    expect((await review(PROXY, { app_name: 'Lantern' }, headers)).reach).toBeNull();
  });

  test.each(['0.0.0.0/0', '0.0.0.0/1', '10.0.0.0/7', '::/0', '2000::/3', '::ffff:10.0.0.1', '::ffff:0:0/96', 'proxy'])(
    'T18 a list that would have half the internet say who calls is refused at its field: %s',
    async (entry) => {
      const refused = { fields: { trusted_proxies: ['INVALID'] } };
      expect(h.set({ trusted_proxies: `${PROXY}\n${entry}` })).rejects.toMatchObject(refused);
    },
  );
});
