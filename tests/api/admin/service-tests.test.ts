import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { TESTED_SERVICE_NAMES, type ServiceOutcome, type TestedService } from '#shared/service-tests.ts';
import type { SettingKey } from '#shared/settings.ts';
import { call } from '#tests/support/call.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openS3, S3_BUCKET, s3Settings } from '#tests/support/s3.ts';
import { openSmtp } from '#tests/support/smtp.ts';

// Shows behaviour 8.4.

setDefaultTimeout(300_000);

const SECRET = 'the-right-secret';
/** Discord's id of the application. */
const CLIENT = '123456789012345678';
const json = (body: unknown, status = 200) => Response.json(body, { status });
const hasBasic = (request: Request, name: string) =>
  request.headers.get('authorization') === `Basic ${btoa(`${name}:${SECRET}`)}`;
const hasBearer = (request: Request, token: string) => request.headers.get('authorization') === `Bearer ${token}`;

/** What each service answers, by path: only the right secret opens it. */
const ANSWERS: Readonly<Record<string, (request: Request, body: string) => Response>> = {
  '/discord/oauth2/token': (request, body) =>
    hasBasic(request, CLIENT) && body.includes('grant_type=client_credentials')
      ? json({ access_token: 'a', token_type: 'Bearer' })
      : json({ error: 'invalid_client' }, 401),
  '/turnstile/siteverify': (_, body) =>
    json({
      success: false,
      'error-codes': [body.includes(`secret=${SECRET}`) ? 'invalid-input-response' : 'invalid-input-secret'],
    }),
  '/vpn/1.1.1.1': (request) =>
    request.headers.get('x-key') === SECRET ? json({ is: { vpn: false } }) : json({ error: 'key' }, 401),
  '/v1/checkout/sessions': (request) =>
    hasBearer(request, SECRET) ? json({ data: [] }) : json({ error: { type: 'invalid_request_error' } }, 401),
  '/v1/oauth2/token': (request) =>
    hasBasic(request, 'app') ? json({ access_token: 'granted' }) : json({ error: 'invalid_client' }, 401),
  '/v1/notifications/webhooks/WH-1': (request) =>
    hasBearer(request, 'granted') ? json({ url: 'https://panel.example.com/api/webhooks/paypal' }) : json({}, 401),
  '/linkvertise/api/v1/anti_bypassing': (request) =>
    new Response(new URL(request.url).searchParams.get('token') === SECRET ? 'false' : 'Invalid token.'),
  '/shareus/easy_api': (request) =>
    new URL(request.url).searchParams.get('key') === SECRET
      ? new Response('https://shrs.link/abc')
      : new Response('wrong key', { status: 403 }),
  '/linkpays/api': (request) =>
    new URL(request.url).searchParams.get('api') === SECRET
      ? json({ status: 'success', shortenedUrl: 'https://linkpays.in/abc' })
      : json({ status: 'error', message: 'Invalid API token' }),
  '/gyanilinks/api': (request) =>
    new URL(request.url).searchParams.get('api') === SECRET
      ? json({ status: 'success', shortenedUrl: 'https://gyanilinks.com/abc' })
      : json({ status: 'error', message: 'Invalid API token' }),
  '/sponsor/check': (request) =>
    new URL(request.url).searchParams.get('key') === SECRET ? json({ valid: false }) : json({ error: 'key' }, 403),
};

let h: Harness;
let staff: Person;
let calls: string[];
let standIn: ReturnType<typeof Bun.serve>;
beforeEach(async () => {
  h = await openHarness();
  staff = await h.person('staff', { permissions: ['admin.settings.view', 'admin.settings.edit'] });
  calls = [];
  standIn = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      calls.push(pathname);
      return ANSWERS[pathname]?.(request, await request.text()) ?? json({}, 404);
    },
  });
  await h.set({ outbound_private_networks: true });
});
afterEach(async () => {
  await standIn.stop(true);
  await h.close();
});

const ask = (service: TestedService) => staff.api.adminSettings.test({ params: { service } });
const outcomeOf = async (service: TestedService) => (await ask(service)).outcome;

interface Case {
  readonly service: TestedService;
  /** The setting with the secret. */
  readonly secret: SettingKey;
  /** What else is set. In: the address of the stand-in. */
  readonly rest: (base: string) => Partial<Record<SettingKey, string | boolean>>;
  readonly fact: string | null;
  /** What comes of a service that is not there. */
  readonly gone?: ServiceOutcome['outcome'];
}
const CASES: readonly Case[] = [
  {
    service: 'discord',
    secret: 'discord_client_secret',
    rest: (base) => ({ discord_client_id: CLIENT, discord_api_url: `${base}/discord` }),
    fact: CLIENT,
  },
  {
    service: 'turnstile',
    secret: 'turnstile_secret',
    rest: (base) => ({ turnstile_site_key: 'site', turnstile_url: `${base}/turnstile` }),
    fact: null,
  },
  {
    service: 'stripe',
    secret: 'stripe_secret_key',
    rest: (base) => ({ stripe_webhook_secret: 'whsec', stripe_api_url: base }),
    fact: 'test',
  },
  {
    service: 'paypal',
    secret: 'paypal_client_secret',
    rest: (base) => ({ paypal_client_id: 'app', paypal_webhook_id: 'WH-1', paypal_api_url: base }),
    fact: 'https://panel.example.com/api/webhooks/paypal',
  },
  {
    service: 'linkvertise',
    secret: 'link_linkvertise_key',
    rest: (base) => ({ link_linkvertise_user: '1', link_linkvertise_api: `${base}/linkvertise` }),
    fact: null,
    gone: 'unclear',
  },
  {
    service: 'shareus',
    secret: 'link_shareus_key',
    rest: (base) => ({ link_shareus_api: `${base}/shareus`, link_shareus_hosts: 'shrs.link' }),
    fact: 'https://shrs.link/abc',
  },
  {
    service: 'linkpays',
    secret: 'link_linkpays_key',
    rest: (base) => ({ link_linkpays_api: `${base}/linkpays`, link_linkpays_hosts: 'linkpays.in' }),
    fact: 'https://linkpays.in/abc',
  },
  {
    service: 'gyanilinks',
    secret: 'link_gyanilinks_key',
    rest: (base) => ({ link_gyanilinks_api: `${base}/gyanilinks`, link_gyanilinks_hosts: 'gyanilinks.com' }),
    fact: 'https://gyanilinks.com/abc',
  },
  {
    service: 'generic',
    secret: 'link_generic_key',
    rest: (base) => ({
      link_generic_start: 'https://sponsor.example/go?to={url}',
      link_generic_check: `${base}/sponsor/check?proof={token}&key={key}`,
    }),
    fact: null,
    gone: 'unclear',
  },
];
/** Services that a test of their own tries, here or beside what they do. */
const TRIED_ELSEWHERE: readonly TestedService[] = ['imap', 'imageS3', 'mail', 'push', 's3', 'vpn'];

test('every service that staff can try is tried by a test', () => {
  const tried = [...CASES.map(({ service }) => service), ...TRIED_ELSEWHERE];
  expect(tried.toSorted()).toEqual(TESTED_SERVICE_NAMES.toSorted());
});

test('where nothing is set no service is asked, and the answer says so', async () => {
  for (const service of TESTED_SERVICE_NAMES) expect([service, await outcomeOf(service)]).toEqual([service, 'notSet']);
  expect(calls).toEqual([]);
});

test.each([...CASES])(
  '$service is tried by the real thing: the right secret works, a wrong one is refused, and no answer is said as such',
  async ({ service, secret, rest, fact, gone = 'silent' }) => {
    const settings = rest(standIn.url.origin);
    await h.set({ ...settings, [secret]: SECRET });
    const good = await ask(service);
    expect({ outcome: good.outcome, fact: good.fact }).toEqual({ outcome: 'ok', fact });
    await h.set({ [secret]: 'another-secret' });
    const bad = await ask(service);
    expect(bad.outcome).toBe('refused');
    expect(JSON.stringify([good, bad])).not.toMatch(/the-right-secret|another-secret/);
    await standIn.stop(true);
    expect<string>(await outcomeOf(service)).toBe(gone);
  },
);

test('a VPN provider is asked about an address of the internet, and its verdict is shown', async () => {
  await h.set({
    vpn_provider_url: `${standIn.url.origin}/vpn/{ip}`,
    vpn_provider_header: 'x-key',
    vpn_provider_paths: 'is.vpn',
    vpn_provider_key: SECRET,
  });
  const answer = await ask('vpn');
  expect([answer.outcome, answer.fact]).toEqual(['ok', '1.1.1.1: clean']);
  await h.set({ vpn_provider_key: 'another-secret' });
  expect(await outcomeOf('vpn')).toBe('unclear');
});

test('the mail server is tried with an e-mail to whoever asks, and its words are shown', async () => {
  const smtp = await openSmtp();
  const { host, port } = smtp.config;
  await h.set({ mail_host: host, mail_port: port, mail_encryption: 'none', mail_from_address: 'host@panel.example' });
  expect(await ask('mail')).toMatchObject({ outcome: 'ok', fact: 'staff@example.com' });
  smtp.next.push({ at: 'data', code: 554, text: 'looks like spam' });
  const refused = await ask('mail');
  expect([refused.outcome, refused.fact?.includes('looks like spam')]).toEqual(['refused', true]);
  // Nothing of it is in the outbox: a test is no event of anybody's account.
  expect(await h.db.uow.read((tx) => tx.mail.listLatest(5))).toEqual([]);
  await smtp.close();
});

test('the storage of backups is tried by sending, listing, reading and deleting a small object', async () => {
  await using s3 = openS3();
  await h.set(s3Settings(s3));
  expect(await ask('s3')).toMatchObject({ outcome: 'ok', fact: `${s3.url}/${S3_BUCKET}` });
  expect(s3.requests.map((each) => each.split(' ')[0])).toEqual([
    'POST',
    'PUT',
    'POST',
    'HEAD',
    'GET',
    'HEAD',
    'GET',
    'DELETE',
  ]);
  expect([s3.objects.size, s3.uploads.size]).toEqual([0, 0]);
  await h.set({ backup_s3_secret_key: 'another-secret' });
  const bad = await ask('s3');
  expect([bad.outcome, bad.fact?.includes('SignatureDoesNotMatch')]).toEqual(['refused', true]);
  expect(JSON.stringify(bad)).not.toContain('another-secret');
  // T44: what is inside is out of reach without the setting for it.
  await h.set({ outbound_private_networks: false });
  const { length } = s3.requests;
  expect([await outcomeOf('s3'), s3.requests.length]).toEqual(['refused', length]);
});

test('T57 a test sends a stored secret to the stored address only, whatever the request names', async () => {
  const thief = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => json({ access_token: 'stolen' }) });
  await h.set({ stripe_secret_key: SECRET, stripe_webhook_secret: 'whsec', stripe_api_url: standIn.url.origin });
  const path = '/api/admin/settings/test/stripe';
  const body = { stripe_api_url: thief.url.origin, service: 'stripe', changes: [] };
  const { status, json: answer } = await call(h, staff, 'POST', `${path}?stripe_api_url=${thief.url.origin}`, body);
  expect([status, answer.outcome]).toEqual([200, 'ok']);
  expect(calls).toEqual(['/v1/checkout/sessions']);
  // T44: without the setting for private networks the stand-in is out of reach as everything of the inside is.
  await h.set({ outbound_private_networks: false });
  expect(await outcomeOf('stripe')).toBe('silent');
  expect(calls).toHaveLength(1);
  await thief.stop(true);
});

test('T61 who may not change settings tries none, and unknown services are not there', async () => {
  const viewer = await h.person('viewer', { permissions: ['admin.settings.view'] });
  expect((await call(h, viewer, 'POST', '/api/admin/settings/test/mail')).status).toBe(403);
  expect((await call(h, staff, 'POST', '/api/admin/settings/test/nothing')).status).toBe(404);
});
