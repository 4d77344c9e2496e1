import { beforeEach, expect, test } from 'bun:test';
import { createServer } from 'node:https';
import { selfSigned } from '#tests/support/certificate.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { SETTINGS, type SettingValues } from '#shared/settings.ts';
import { testLog } from '#tests/support/log.ts';
import { standIn } from '#tests/support/standin.ts';
import { createTurnstile } from './abuse/turnstile.ts';
import { createVpnProvider } from './abuse/vpn-provider.ts';
import { createDiscord } from './identity-providers/discord/index.ts';
import { createLinkProviders } from './link-providers/index.ts';
import { createOutbound } from './outbound.ts';
import { createPaypalApi } from './payments/paypal-api.ts';
import { createStripeGateway } from './payments/stripe.ts';

const defaults = Object.fromEntries(Object.entries(SETTINGS).map(([key, row]) => [key, row.default])) as SettingValues;
const asked: { url: string; redirect: string | undefined; host: string | null; name: string | undefined }[] = [];
/** Addresses that nobody listens at. */
const dead = new Set<string>();
const names: Record<string, string[]> = {};
let allowed = false;
const log = testLog();
const outbound = createOutbound({
  settings: { current: () => ({ outbound_private_networks: allowed }) },
  log,
  resolve: (host) => Promise.resolve(names[host] ?? []),
  fetch: (url, init) => {
    asked.push({
      url,
      redirect: init.redirect,
      host: new Headers(init.headers).get('host'),
      name: init.tls?.serverName,
    });
    return dead.has(new URL(url).hostname)
      ? Promise.reject(Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' }))
      : Promise.resolve(new Response('ok'));
  },
});
const outcome = (url: string) =>
  outbound(url, {}).then(
    () => 'asked',
    (error: Error) => error.name,
  );

beforeEach(() => {
  asked.length = 0;
  dead.clear();
  allowed = false;
  Object.assign(names, {
    'discord.example': ['93.184.215.14', '2606:2800:21f:cb07::1'],
    'inside.example': ['10.0.0.5'],
    'half.example': ['93.184.215.14', '127.0.0.1'],
    'six.example': ['fd00::1'],
    'mapped.example': ['::ffff:169.254.169.254'],
    localhost: ['127.0.0.1', '::1'],
  });
});

test('T44 a base address that leads into a private network is refused, however it is written', async () => {
  const inside = [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest',
    'http://100.64.0.1/',
    'http://[::1]/',
    'http://[::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://localhost/',
    'https://inside.example/',
    'https://half.example/',
    'https://six.example/',
    'https://mapped.example/',
    'https://nobody.example/',
  ];
  for (const url of inside) expect([url, await outcome(url)]).toEqual([url, 'OutboundRefused']);
  expect(asked).toEqual([]);
  expect(await outcome('https://discord.example/api')).toBe('asked');
  expect(await outcome('https://93.184.215.14/api')).toBe('asked');
});

test('T44 the setting lets the host’s own networks in, but never other protocols and names in an address', async () => {
  allowed = true;
  expect([await outcome('http://127.0.0.1/'), await outcome('https://inside.example/')]).toEqual(['asked', 'asked']);
  for (const url of [
    'file:///etc/passwd',
    'ftp://discord.example/',
    'data:,x',
    'https://a:b@discord.example/',
    'nothing',
  ])
    expect([url, await outcome(url)]).toEqual([url, 'OutboundRefused']);
});

test('S11 where clouds keep their machines’ keys nothing is sent, whatever the setting and the writing', async () => {
  Object.assign(names, { 'cloud.example': ['93.184.215.14', 'fd00:ec2::254'] });
  for (const own of [false, true]) {
    allowed = own;
    const never = [
      'http://169.254.169.254/',
      'http://[fd00:ec2::254]/',
      'http://100.100.100.200/',
      'http://168.63.129.16/',
      'http://[::127.0.0.1]/',
      'http://[::ffff:168.63.129.16]/',
      'http://[::ffff:a9fe:a9fe]/',
      'http://[fe80::1]/',
      'http://0/',
      'http://0xa9fea9fe/',
      'https://cloud.example/',
      'https://mapped.example/',
      'https://nobody.example/',
    ];
    for (const url of never) expect([url, await outcome(url)]).toEqual([url, 'OutboundRefused']);
  }
  expect(asked).toEqual([]);
});

test('T44 redirects are never followed, whatever the caller says', async () => {
  for (const redirect of [undefined, 'follow', 'error', 'manual'] as const)
    await outbound('https://discord.example/', redirect ? { redirect } : {});
  expect(asked.map((each) => each.redirect)).toEqual(['error', 'error', 'error', 'manual']);
});

test('T44 the call goes to the verified address under the service’s name, and the name is not resolved a second time', async () => {
  let turn = 0;
  const moving = createOutbound({
    settings: { current: () => defaults },
    log,
    resolve: () => Promise.resolve((turn += 1) === 1 ? ['93.184.215.14'] : ['127.0.0.1']),
    fetch: (url, init) => {
      asked.push({
        url,
        redirect: init.redirect,
        host: new Headers(init.headers).get('host'),
        name: init.tls?.serverName,
      });
      return Promise.resolve(new Response('ok'));
    },
  });
  await moving('https://turning.example:8443/api?x=1', { headers: { Authorization: 'Bearer t' } });
  expect(asked).toEqual([
    {
      url: 'https://93.184.215.14:8443/api?x=1',
      redirect: 'error',
      host: 'turning.example:8443',
      name: 'turning.example',
    },
  ]);
  expect(await moving('https://turning.example:8443/api?x=1', {}).catch((error: Error) => error.name)).toBe(
    'OutboundRefused',
  );
  expect([turn, asked.length]).toEqual([2, 1]);
});

test('where no connection comes about, the next address of the name is asked; anything else is the caller’s', async () => {
  dead.add('93.184.215.14');
  expect(await outcome('https://discord.example/api')).toBe('asked');
  expect(asked.map(({ url }) => url)).toEqual(['https://93.184.215.14/api', 'https://[2606:2800:21f:cb07::1]/api']);
  dead.add('[2606:2800:21f:cb07::1]');
  expect(await outbound('https://discord.example/api', {}).catch((error: Error) => error.message)).toBe(
    'no connection',
  );
  const cut = createOutbound({
    settings: { current: () => defaults },
    log,
    resolve: () => Promise.resolve(['93.184.215.14', '93.184.215.15']),
    fetch: (url) => (asked.push({ url, redirect: '', host: null, name: '' }), Promise.reject(new Error('cut'))),
  });
  asked.length = 0;
  expect(await cut('https://discord.example/api', {}).catch((error: Error) => error.message)).toBe('cut');
  expect(asked).toHaveLength(1);
});

test('T44 the service reads its own name in a call by address, and a certificate for another name is refused', async () => {
  const { key, cert } = selfSigned('service.example');
  const names: (string | false | null)[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    names.push(request.headers.host ?? null, 'servername' in request.socket ? String(request.socket.servername) : null);
    response.end('ok');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  // The test's own authority, and its machine in the place of the address that was looked at.
  const here = createOutbound({
    settings: { current: () => defaults },
    log,
    resolve: () => Promise.resolve(['93.184.215.14']),
    fetch: (url, init) =>
      globalThis.fetch(url.replace('93.184.215.14', '127.0.0.1'), { ...init, tls: { ...init.tls, ca: cert } }),
  });
  try {
    expect(await (await here(`https://service.example:${port}/`, {})).text()).toBe('ok');
    expect(names).toEqual([`service.example:${port}`, 'service.example']);
    expect(
      await here(`https://other.example:${port}/`, {}).catch((error: Error & { code?: string }) => error.code),
    ).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(names).toHaveLength(2);
  } finally {
    server.closeAllConnections();
    await new Promise<void>((done) => void server.close(() => done()));
  }
});

test('a name that is not resolved in time ends with the caller’s limit', async () => {
  const stuck = createOutbound({
    settings: { current: () => defaults },
    log,
    resolve: () => new Promise(() => undefined),
    fetch: () => Promise.resolve(new Response('')),
  });
  const giveUp = new AbortController();
  const call = stuck('https://discord.example/', { signal: giveUp.signal }).catch((error: Error) => error.name);
  giveUp.abort();
  expect(await call).toBe('AbortError');
});

test('T44 every client of a service goes that way: one on this machine is not asked, and the answer is unknown', async () => {
  const service = await standIn(() => ({ body: '{}' }));
  try {
    const values: SettingValues = {
      ...defaults,
      discord_api_url: service.url,
      discord_client_id: '1',
      discord_client_secret: 's',
      link_linkvertise_api: service.url,
      link_linkvertise_user: '1',
      link_linkvertise_key: 'k',
      vpn_provider_url: `${service.url}/{ip}`,
      stripe_api_url: service.url,
      stripe_secret_key: 'sk_test_1',
      paypal_api_url: service.url,
      paypal_client_id: 'c',
      paypal_client_secret: 's',
    };
    const settings = { current: () => values };
    const clock = fakeClock();
    const fetch = createOutbound({ settings, log });
    const discord = createDiscord({
      settings,
      clock,
      log,
      appUrl: () => 'https://p.example',
      version: '1',
      redirectUri: () => 'https://p.example/back',
      hash: testIds().hash,
      fetch,
    });
    expect(await discord.getUser('token')).toMatchObject({ kind: 'unknown' });
    const links = createLinkProviders({ settings, fetch, userAgent: () => 'test' });
    expect(await links.of('linkvertise').check('a'.repeat(64), { claimId: '', address: '' })).toMatchObject({
      result: 'unknown',
    });
    expect(
      await createTurnstile({ log, fetch, uuid: () => 'u' }).verify({
        secret: 's',
        token: 't',
        address: 'unknown',
        base: service.url,
      }),
    ).toEqual({ kind: 'unknown' });
    expect(await createVpnProvider({ settings, clock, log, fetch }).ask('8.8.8.8')).toBe('unknown');
    expect(await createPaypalApi({ settings, clock, fetch }).call('GET', '/v1/x')).toEqual({ status: 0, body: null });
    expect(
      await createStripeGateway({ settings, clock, fetch })
        .orderOf('pi_1')
        .catch((error: Error) => error.constructor.name),
    ).toBe('StripeConnectionError');
    expect(service.asked).toEqual([]);
  } finally {
    await service.close();
  }
});
