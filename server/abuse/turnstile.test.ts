import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createChallenge } from '#server/modules/challenge/index.ts';
import type { Ctx } from '#server/modules/kernel.ts';
import { SETTINGS, type SettingValues } from '#shared/settings.ts';
import { codeOf, coinWorld, atOnce, type CoinWorld } from '#tests/support/coins.ts';
import { turnstileStandIn, TURNSTILE_SECRET, type TurnstileStandIn } from '#tests/support/turnstile.ts';
import { createTurnstile } from './turnstile.ts';

let world: CoinWorld;
let service: TurnstileStandIn;
let settings: SettingValues;
const defaults = Object.fromEntries(Object.entries(SETTINGS).map(([key, row]) => [key, row.default])) as SettingValues;
const guest: Ctx = {
  actor: null,
  requestId: 'r',
  locale: 'en',
  address: '203.0.113.9',
  userAgent: '',
  idempotency: null,
};

beforeEach(async () => {
  world = await coinWorld();
  service = await turnstileStandIn({ hostname: 'panel.example.com' });
  settings = {
    ...defaults,
    challenge: 'turnstile',
    turnstile_secret: TURNSTILE_SECRET,
    turnstile_site_key: 'site',
    turnstile_url: service.base,
  };
});
afterEach(async () => {
  await service.close();
  await world.close();
});
const challenge = () => {
  const { uow, clock, ids, db } = world;
  const puzzles = { make: () => Promise.reject(new Error('none')), check: () => Promise.reject(new Error('none')) };
  return createChallenge({
    uow,
    clock,
    ids,
    log: db.log,
    settings: { current: () => settings },
    puzzles,
    appUrl: () => 'https://panel.example.com',
    turnstile: createTurnstile({ log: db.log, fetch, uuid: () => ids.uuid() }),
  });
};
const verify = (answer: string | undefined, action: 'register' | 'login' = 'register') =>
  codeOf(challenge().verify(action, { ctx: guest, device: 'd' }, answer));

test('a token of our page is good once; the address goes with it', async () => {
  const token = service.issue('register');
  expect(await challenge().offer('register', { ctx: guest, device: 'd' })).toEqual({
    kind: 'turnstile',
    siteKey: 'site',
    script: `${service.base}/api.js?render=explicit`,
  });
  expect(await verify(token)).toBeNull();
  expect(new URLSearchParams(service.asked[0]?.body).get('remoteip')).toBe('203.0.113.9');
  expect(await verify(token)).toBe('CHALLENGE_FAILED');
});

test('fifty requests at once with one token pass once', async () => {
  const token = service.issue('register');
  const all = challenge();
  expect(await atOnce(50, () => all.verify('register', { ctx: guest, device: 'd' }, token))).toEqual({
    ok: 1,
    CHALLENGE_FAILED: 49,
  });
});

test('no answer, another form, another site, an old or made-up token, and one that is too long are refused', async () => {
  expect(await verify(undefined)).toBe('CHALLENGE_REQUIRED');
  expect(await verify(service.issue('login'))).toBe('CHALLENGE_FAILED');
  service.state.hostname = 'elsewhere.example';
  expect(await verify(service.issue('register'))).toBe('CHALLENGE_FAILED');
  service.state.hostname = 'panel.example.com';
  const old = service.issue('register');
  service.state.nowMs += 300_001;
  expect(await verify(old)).toBe('CHALLENGE_FAILED');
  expect(await verify('invented')).toBe('CHALLENGE_FAILED');
  const calls = service.asked.length;
  expect(await verify('x'.repeat(2049))).toBe('CHALLENGE_FAILED');
  expect(service.asked.length).toBe(calls);
});

test('other names of our pages are a setting', async () => {
  settings = { ...settings, turnstile_hostnames: 'play.example, PANEL2.example' };
  service.state.hostname = 'panel2.example';
  expect(await verify(service.issue('register'))).toBeNull();
});

test('an answer that was lost does not spend the token, which is asked once more with the same key', async () => {
  service.faults.push({ kind: 'lost' });
  expect(await verify(service.issue('register'))).toBeNull();
  const keys = service.asked.map(({ body }) => new URLSearchParams(body).get('idempotency_key'));
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
});

test.each([
  ['a server error', { kind: 'status', status: 500 }],
  ['too many requests', { kind: 'status', status: 429, body: '{}' }],
  ['a page', { kind: 'body', body: '<html>' }],
  [
    'a word that says true',
    { kind: 'body', body: '{"success":"true","hostname":"panel.example.com","action":"register"}' },
  ],
  ['nothing in particular', { kind: 'body', body: '{}' }],
  ['an answer without end', { kind: 'body', body: `{"success":true,"x":"${'x'.repeat(40_000)}"}` }],
  ['an error of its own', { kind: 'body', body: '{"success":false,"error-codes":["internal-error"]}' }],
] as const)('T20 %s lets nobody in, and is no fault of the visitor', async (_, fault) => {
  service.faults.push(fault, fault);
  expect(await verify(service.issue('register'))).toBe('CHALLENGE_UNAVAILABLE');
});

test('a wrong secret of ours lets nobody in and is logged, without the secret', async () => {
  settings = { ...settings, turnstile_secret: 'wrong-secret' };
  expect(await verify(service.issue('register'))).toBe('CHALLENGE_FAILED');
  expect(world.db.log.lines.map(({ event }) => event)).toContain('turnstile.secret_refused');
  expect(JSON.stringify(world.db.log.lines)).not.toContain('wrong-secret');
  settings = { ...settings, turnstile_secret: '' };
  expect(await verify(service.issue('register'))).toBe('CHALLENGE_UNAVAILABLE');
});
