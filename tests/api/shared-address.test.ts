import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { LOCALES } from '#shared/i18n/locales.ts';
import { LIMITS, limitMax, type LimitName, type RateLimit } from '#shared/limits.ts';
import { SETTINGS, type SettingRow, type SettingValues } from '#shared/settings.ts';
import { MINUTE } from '#shared/time.ts';
import { openBrowser } from '#tests/support/browser.ts';
import { openHarness, PASSWORD, type Harness } from '#tests/support/harness.ts';
import { textsOf } from '#tests/support/texts.ts';

let h: Harness;
beforeEach(async () => void (h = await openHarness()));
afterEach(() => h.close());

const SCHOOL = '203.0.113.20';
const pupil = (n: number) => ({
  username: `pupil${n}`,
  email: `pupil${n}@school.example`,
  password: `${PASSWORD} ${n}`,
  first_name: 'P',
  last_name: 'U',
  terms: true,
});
/** One pupil after the other, each in a browser of their own. Out: how often each status came. */
async function each(
  count: number,
  work: (browser: ReturnType<typeof openBrowser>, n: number) => Promise<{ status: number }>,
): Promise<Record<number, number>> {
  const tally: Record<number, number> = {};
  for (let n = 0; n < count; n += 1) {
    const { status } = await work(openBrowser(h, SCHOOL), n);
    tally[status] = (tally[status] ?? 0) + 1;
  }
  return tally;
}
const register = (count: number, from = 0) =>
  each(count, (browser, n) => browser.send('POST', '/api/auth/register', pupil(from + n)));

describe('a school behind one address', () => {
  test('E7 a class of thirty reads pages, registers with a slip each, and logs in, all within minutes', async () => {
    expect(
      await each(30, async (browser) => {
        for (let n = 0; n < 20; n += 1) await browser.get('/api/auth/options');
        return browser.get('/api/auth/options');
      }),
    ).toEqual({ 200: 30 });
    expect(
      await each(30, (browser, n) => browser.send('POST', '/api/auth/register', { ...pupil(n), password: 'short' })),
    ).toEqual({ 422: 30 });
    expect(await register(30)).toEqual({ 200: 30 });
    h.clock.advance(MINUTE);
    expect(
      await each(30, async (browser, n) => {
        await browser.send('POST', '/api/auth/login', { login: `pupil${n}`, password: 'not this one' });
        return browser.send('POST', '/api/auth/login', { login: `pupil${n}`, password: `${PASSWORD} ${n}` });
      }),
    ).toEqual({ 200: 30 });
  }, 300_000);

  test('E7 the limit is a setting: a smaller one refuses, a raised one lets two classes in', async () => {
    await h.set({ limit_register: 5 });
    expect(await register(8)).toEqual({ 200: 5, 429: 3 });
    await h.set({ limit_register: 70 });
    expect(await register(60, 10)).toEqual({ 200: 60 });
  }, 300_000);

  test('E7 a challenge raises it, by a factor that is a setting', async () => {
    await h.set({ limit_register: 5, limit_challenge_factor: 3, challenge: 'altcha' });
    // Without an answer nobody gets in, but it is the challenge that says so.
    expect(await register(16)).toEqual({ 403: 15, 429: 1 });
  });
});

describe('limits that a shared address meets', () => {
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, row]) => [key, row.default]),
  ) as unknown as SettingValues;
  const limits = Object.entries(LIMITS) as [LimitName, RateLimit][];
  const keys = Object.keys(SETTINGS).filter((key) => key.startsWith('limit_'));

  test('E7 every limit per address is a setting, and only what gateways and mail services send, which no school does, is fixed', () => {
    expect(
      limits.filter(([, { per, max }]) => per === 'address' && typeof max === 'number').map(([name]) => name),
    ).toEqual(['webhook', 'ticketMail']);
  });

  test('E7 each has bounds, a default inside them, and a label and help in every language', () => {
    expect(keys.length).toBeGreaterThan(5);
    for (const key of keys) {
      const row: SettingRow = SETTINGS[key as keyof typeof SETTINGS];
      if (row.type !== 'number') throw new Error(`${key} is no number`);
      expect([key, row.min >= 1, row.min <= row.default, row.default <= row.max, row.public]).toEqual([
        key,
        true,
        true,
        true,
        false,
      ]);
      for (const locale of LOCALES) {
        const texts = textsOf(locale, 'settings');
        expect([locale, key, Boolean(texts[`${key}.label`]), Boolean(texts[`${key}.help`])]).toEqual([
          locale,
          key,
          true,
          true,
        ]);
      }
    }
  });

  test('E7 only what a challenge guards is raised by it', () => {
    const on = { ...values, challenge: 'altcha' };
    expect(limits.filter(([name]) => limitMax(name, on) !== limitMax(name, values)).map(([name]) => name)).toEqual([
      'login',
      'register',
    ]);
  });
});
