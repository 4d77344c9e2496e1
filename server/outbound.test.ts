import { beforeEach, expect, test } from 'bun:test';
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
const asked: { url: string; redirect: string | undefined }[] = [];
const names: Record<string, string[]> = {};
let allowed = false;
const log = testLog();
const outbound = createOutbound({
  settings: { current: () => ({ outbound_private_networks: allowed }) },
  log,
  resolve: (host) => Promise.resolve(names[host] ?? []),
  fetch: (url, init) => {
    asked.push({ url, redirect: init.redirect });
    return Promise.resolve(new Response('ok'));
  },
});
const outcome = (url: string) => outbound(url, {}).then(() => 'asked', (error: Error) => error.name);

beforeEach(() => {
  asked.length = 0;
  allowed = false;
  Object.assign(names, {
    'discord.example': ['93.184.215.14', '2606:2800:21f:cb07::1'], 'inside.example': ['10.0.0.5'], 'half.example': ['93.184.215.14', '127.0.0.1'], 'six.example': ['fd00::1'],
    'mapped.example': ['::ffff:169.254.169.254'], localhost: ['127.0.0.1', '::1'],
  });
});

test('T44 a base address that leads into a private network is refused, however it is written', async () => {
  const inside = [
    'http://127.0.0.1/', 'http://127.1/', 'http://0x7f000001/', 'http://2130706433/', 'http://0/', 'http://10.1.2.3/', 'http://172.16.0.1/', 'http://192.168.1.1/', 'http://169.254.169.254/latest',
    'http://100.64.0.1/', 'http://[::1]/', 'http://[::]/', 'http://[fe80::1]/', 'http://[fd00::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[64:ff9b::7f00:1]/', 'http://localhost/',
    'https://inside.example/', 'https://half.example/', 'https://six.example/', 'https://mapped.example/', 'https://nobody.example/',
  ];
  for (const url of inside) expect([url, await outcome(url)]).toEqual([url, 'OutboundRefused']);
  expect(asked).toEqual([]);
  expect(await outcome('https://discord.example/api')).toBe('asked');
  expect(await outcome('https://93.184.215.14/api')).toBe('asked');
});

test('T44 the setting lets the host’s own networks in; other protocols and names in an address never', async () => {
  allowed = true;
  expect([await outcome('http://127.0.0.1/'), await outcome('https://inside.example/')]).toEqual(['asked', 'asked']);
  for (const url of ['file:///etc/passwd', 'ftp://discord.example/', 'data:,x', 'https://a:b@discord.example/', 'nothing']) expect([url, await outcome(url)]).toEqual([url, 'OutboundRefused']);
});

test('T44 redirects are never followed, whatever the caller says', async () => {
  for (const redirect of [undefined, 'follow', 'error', 'manual'] as const) await outbound('https://discord.example/', redirect ? { redirect } : {});
  expect(asked.map((each) => each.redirect)).toEqual(['error', 'error', 'error', 'manual']);
});

test('a name that is not resolved in time ends with the caller’s limit', async () => {
  const stuck = createOutbound({ settings: { current: () => defaults }, log, resolve: () => new Promise(() => undefined), fetch: () => Promise.resolve(new Response('')) });
  const giveUp = new AbortController();
  const call = stuck('https://discord.example/', { signal: giveUp.signal }).catch((error: Error) => error.name);
  giveUp.abort();
  expect(await call).toBe('AbortError');
});

test('T44 every client of a service goes that way: one on this machine is not asked, and the answer is unknown', async () => {
  const service = await standIn(() => ({ body: '{}' }));
  try {
    const values: SettingValues = {
      ...defaults, discord_api_url: service.url, discord_client_id: '1', discord_client_secret: 's', link_linkvertise_api: service.url, link_linkvertise_user: '1', link_linkvertise_key: 'k',
      vpn_provider_url: `${service.url}/{ip}`, stripe_api_url: service.url, stripe_secret_key: 'sk_test_1', paypal_api_url: service.url, paypal_client_id: 'c', paypal_client_secret: 's',
    };
    const settings = { current: () => values };
    const clock = fakeClock();
    const fetch = createOutbound({ settings, log });
    const discord = createDiscord({ settings, clock, log, appUrl: 'https://p.example', version: '1', redirectUri: 'https://p.example/back', hash: testIds().hash, fetch });
    expect(await discord.me('token')).toMatchObject({ kind: 'unknown' });
    const links = createLinkProviders({ settings, fetch, userAgent: 'test' });
    expect(await links.of('linkvertise').check('a'.repeat(64), { claimId: '', address: '' })).toMatchObject({ says: 'unknown' });
    expect(await createTurnstile({ log, fetch, uuid: () => 'u' }).verify({ secret: 's', token: 't', address: 'unknown', base: service.url })).toEqual({ kind: 'unknown' });
    expect(await createVpnProvider({ settings, clock, log, fetch }).ask('8.8.8.8')).toBe('unknown');
    expect(await createPaypalApi({ settings, clock, fetch }).call('GET', '/v1/x')).toEqual({ status: 0, body: null });
    expect(await createStripeGateway({ settings, clock, fetch }).orderOf('pi_1').catch((error: Error) => error.constructor.name)).toBe('StripeConnectionError');
    expect(service.asked).toEqual([]);
  } finally {
    await service.close();
  }
});
