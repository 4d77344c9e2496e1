import { expect, test } from 'bun:test';
import { LINK_PROVIDERS } from '#shared/link-providers.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { SettingValues } from '#shared/settings.ts';
import { moved, placeOf, referenceOf, termsOf, waitUntil, type Terms } from './policy.ts';

// Shows behaviour 4.5 where it needs no database.

const TERMS: Terms = { enabled: true, credits: 10, cooldownMs: HOUR, daily: 2, minMs: 0, maxMs: HOUR };
const NOW = 10 * HOUR;
const wait = (today: { count: number; lastMs: number | null }, terms: Partial<Terms> = {}) =>
  waitUntil({ ...TERMS, ...terms }, today, NOW, 24 * HOUR);

test('terms are the settings of the provider in ms, and a way may always take a minute longer than it has to', () => {
  const [id] = LINK_PROVIDERS;
  const set = (min: number, max: number) =>
    termsOf(
      {
        [`link_${id}_enabled`]: true,
        [`link_${id}_credits`]: 7,
        [`link_${id}_cooldown_minutes`]: 3,
        [`link_${id}_daily`]: 4,
        [`link_${id}_min_seconds`]: min,
        [`link_${id}_max_minutes`]: max,
      } as unknown as SettingValues,
      id,
    );
  const plain = { enabled: true, credits: 7, cooldownMs: 3 * MINUTE, daily: 4 };
  expect(set(20, 30)).toEqual({ ...plain, minMs: 20 * SECOND, maxMs: 30 * MINUTE });
  expect(set(300, 1)).toEqual({ ...plain, minMs: 300 * SECOND, maxMs: 6 * MINUTE });
});

test('the next way waits for the pause to its last ms, and from the last one of the day for the next day', () => {
  expect(wait({ count: 0, lastMs: null })).toBeNull();
  expect(wait({ count: 1, lastMs: NOW - HOUR })).toBeNull();
  expect(wait({ count: 1, lastMs: NOW - HOUR + 1 })).toEqual({ reason: 'cooldown', untilMs: NOW + 1 });
  expect(wait({ count: 1, lastMs: NOW })).toEqual({ reason: 'cooldown', untilMs: NOW + HOUR });
  expect(wait({ count: 2, lastMs: NOW })).toEqual({ reason: 'daily', untilMs: 24 * HOUR });
  expect(wait({ count: 3, lastMs: NOW - HOUR })).toEqual({ reason: 'daily', untilMs: 24 * HOUR });
  // No bound, and a bound of one.
  expect(wait({ count: 99, lastMs: NOW - HOUR }, { daily: 0 })).toBeNull();
  expect(wait({ count: 1, lastMs: NOW - HOUR }, { daily: 1 })?.reason).toBe('daily');
});

test('T12 a last way that lies ahead, as the clock was set back, does not make the next one wait', () => {
  expect(wait({ count: 1, lastMs: NOW + 1 })).toBeNull();
});

test('a visitor came back from elsewhere only with another login from another network', () => {
  const claim = { sessionId: 's1', network: '198.51.100' };
  const elsewhere = { sessionId: 's2', network: '203.0.113' };
  expect(moved(claim, elsewhere)).toBe(true);
  expect([moved(claim, claim), moved(claim, { ...elsewhere, sessionId: 's1' })]).toEqual([false, false]);
  expect(moved(claim, { ...elsewhere, network: '198.51.100' })).toBe(false);
});

test('where somebody is, is their address without its last part', () => {
  expect(placeOf('198.51.100.7')).toBe(placeOf('198.51.100.250'));
  expect(placeOf('198.51.100.7')).not.toBe(placeOf('198.51.101.7'));
  expect(placeOf('2001:db8::1')).toBe(placeOf('2001:db8::ffff'));
  expect(placeOf('2001:db8::1')).not.toBe(placeOf('2001:db8:0:1::1'));
  expect(referenceOf('c1')).toBe('link:c1');
});
