import { expect, test } from 'bun:test';
import type { CookieOptions, HandlerCtx } from '#server/http/implement.types.ts';
import { MARKER_COOKIE, SESSION_COOKIE } from '#shared/constants.ts';
import type { SettingValues } from '#shared/settings.ts';
import { guestCtx } from '#tests/support/browser.ts';
import { authHandlers } from './auth.ts';
import { DEVICE_COOKIE } from './session-cookies.ts';

const PERSON = {
  username: 'ann',
  email: 'ann@example.com',
  password: 'a password',
  first_name: 'A',
  last_name: 'B',
  terms: true as const,
};
const OPENED = { secret: 'a-new-secret', sessionId: 's' };
const IN = { params: undefined, query: undefined } as const;

/** The handlers over services that note what they were asked. */
function setUp({ waiting = false, isOpened = true, referrals = true, device = '', secret = 'an-old-secret' } = {}) {
  const asked: [name: string, ...given: unknown[]][] = [];
  const set: [name: string, value: string, options: CookieOptions][] = [];
  const note =
    <T>(name: string, answer: T) =>
    async (...given: unknown[]): Promise<T> => {
      // A moment late, so that what is not waited for comes after its answer.
      await Bun.sleep(0);
      asked.push([name, ...given.filter((each) => each !== ctx)]);
      return answer;
    };
  const ctx: HandlerCtx = {
    ...guestCtx(),
    secret: secret || null,
    signal: new AbortController().signal,
    header: () => null,
    cookies: {
      get: (name) => (name === DEVICE_COOKIE ? device || null : null),
      set: (...cookie) => void set.push(cookie),
    },
  };
  const actor = { userId: 'u', sessionId: 's', username: 'ann', permissions: [], verified: true, waiting };
  const handlers = authHandlers({
    identity: {
      getAuthOptions: note('options', { registration: true, verification: false, sendsMail: true, ...LINKS }),
      register: note('register', isOpened ? OPENED : null),
      login: note('login', OPENED),
      logout: note('logout', undefined),
      verifyAddress: note('verify', undefined),
      resendVerification: note('resend', undefined),
      requestVerificationLink: note('requestVerification', undefined),
      resolve: note('resolve', { actor, owner: actor, expiresMs: 0 }),
      requestPasswordReset: note('forgot', undefined),
      resetPassword: note('resetPassword', undefined),
    },
    ids: { token: () => 'a-new-token' },
    referrals: { checkCode: async (code) => (code === 'ANN' ? 'known' : 'unknown') },
    settings: { current: () => ({ referrals_enabled: referrals }) as SettingValues },
    passkeys: { domain: () => 'panel.example.com' },
    sso: { listProviders: async () => [] },
  });
  /** Cookies that were set beside the one that names the browser. */
  const cookies = () => set.filter(([name]) => name !== DEVICE_COOKIE).map(([name, value]) => [name, value]);
  return { handlers, ctx, asked, set, cookies };
}
const LINKS = { setupValid: false, empty: false, resetValid: false };
const BOTH = [
  [SESSION_COOKIE, OPENED.secret],
  [MARKER_COOKIE, expect.stringMatching(/^[0-9a-f-]{36}$/)],
];

test('a log-in opens the session in the browser, and says whether the second factor is still asked for', async () => {
  for (const waiting of [true, false]) {
    const { handlers, ctx, asked, cookies } = setUp({ waiting, device: 'a-known-browser' });
    const body = { login: 'ann', password: 'a password' };
    expect(await handlers.login(ctx, { ...IN, body })).toEqual({ second_factor: waiting });
    expect(asked).toEqual([
      ['login', body, { secret: 'an-old-secret', device: 'a-known-browser' }],
      ['resolve', OPENED.secret],
    ]);
    expect(cookies()).toEqual(BOTH);
  }
});

test('a registration sets cookies only where a session was opened, and says whether a referral code is valid', async () => {
  const open = setUp();
  const body = { ...PERSON, referral: 'ANN' };
  expect(await open.handlers.register(open.ctx, { ...IN, body })).toEqual({ signed_in: true, referral: 'known' });
  expect(open.asked).toEqual([['register', body, { secret: 'an-old-secret', device: 'a-new-token' }]]);
  expect(open.cookies()).toEqual(BOTH);
  const waits = setUp({ isOpened: false });
  expect(await waits.handlers.register(waits.ctx, { ...IN, body: PERSON })).toEqual({
    signed_in: false,
    referral: 'unknown',
  });
  expect(waits.cookies()).toEqual([]);
});

test('a log-out ends the session of who has one, and takes the cookies of everybody', async () => {
  const CLEARED = [
    [SESSION_COOKIE, ''],
    [MARKER_COOKIE, ''],
  ];
  const one = setUp();
  await one.handlers.logout(one.ctx, { ...IN, body: undefined });
  expect([one.asked, one.cookies()]).toEqual([[['logout', 'an-old-secret']], CLEARED]);
  const none = setUp({ secret: '' });
  await none.handlers.logout(none.ctx, { ...IN, body: undefined });
  expect([none.asked, none.cookies()]).toEqual([[], CLEARED]);
});

test('the registration form learns whether its referral code is valid, and only where referrals are on', async () => {
  const input = (ref?: string) => ({ params: undefined, query: ref === undefined ? {} : { ref }, body: undefined });
  const { handlers, ctx } = setUp();
  expect(await handlers.options(ctx, input('ANN'))).toMatchObject({ registration: true, referral: 'known' });
  expect(await handlers.options(ctx, input())).toMatchObject({ referral: 'unknown' });
  const off = setUp({ referrals: false });
  expect(await off.handlers.options(off.ctx, input('ANN'))).toMatchObject({ referral: 'off' });
});

test('links by e-mail are requested with the browser’s device token, and none is made for that', async () => {
  const { handlers, ctx, asked, set } = setUp({ device: 'a-known-browser' });
  await handlers.forgot(ctx, { ...IN, body: { login: 'ann' } });
  await handlers.requestVerification(ctx, { ...IN, body: { email: 'ann@example.com' } });
  const unknown = setUp();
  await unknown.handlers.forgot(unknown.ctx, { ...IN, body: { login: 'ann' } });
  expect([...asked, ...unknown.asked]).toEqual([
    ['forgot', 'ann', 'a-known-browser'],
    ['requestVerification', 'ann@example.com', 'a-known-browser'],
    ['forgot', 'ann', ''],
  ]);
  expect([...set, ...unknown.set]).toEqual([]);
});
