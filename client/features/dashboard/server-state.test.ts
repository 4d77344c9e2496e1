import { describe, expect, test } from 'bun:test';
import dashboard from '#locales/en/dashboard.json';
import ui from '#locales/en/ui.json';
import { createFormat } from '#client/lib/format.ts';
import { createI18n } from '#client/lib/i18n-instance.ts';
import { createTranslator } from '#client/lib/translator.ts';
import type { ServerView } from '#shared/contract/server-views.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { greetingKey } from './greeting.ts';
import { hintHref } from './next-card.tsx';
import { needsCredits } from '#shared/needs-credits.ts';
import { toRowState } from './server-state.ts';

const nowMs = Date.parse('2026-11-21T18:30:00.000Z');
const translator = createTranslator(createI18n('en', { en: { dashboard, ui } }), 'en');
const words = {
  t: translator.t('dashboard'),
  format: createFormat(translator, 'UTC'),
  nowMs,
  renewDays: 30,
  graceDays: 7,
};
const after = (ms: number): string => new Date(nowMs + ms).toISOString();

function server(more: Partial<ServerView>): ServerView {
  return {
    id: '1',
    name: 'A',
    description: '',
    state: 'active',
    suspend_reason: null,
    failure: null,
    address: 'a:1',
    egg: { id: 'e', name: 'Paper', shape: 'cube', hue: 5, picture: '' },
    location: { id: 'l', name: 'Frankfurt', code: 'fra' },
    resources: { memory: 1024, disk: 1024, cpu: 100, ports: 1, databases: 0, backups: 0 },
    progress: null,
    created_at: after(-DAY),
    expires_at: null,
    suspends_at: null,
    deletes_at: null,
    auto_renew: false,
    renew_priority: 'normal',
    queue: null,
    pending: false,
    can: { update: true, renew: true, delete: true, retry: false },
    ...more,
  };
}
const stateOf = (more: Partial<ServerView>) => toRowState(server(more), words);

describe('toRowState', () => {
  test('paid time is quiet for long and warns from three days on', () => {
    expect(stateOf({ expires_at: after(15 * DAY) })).toMatchObject({
      shape: 'active',
      end: 'until 6 Dec 2026',
      bar: { value: 0.5, tone: 'quiet' },
    });
    expect(stateOf({ expires_at: after(3 * DAY + 1) }).shape).toBe('active');
    expect(stateOf({ expires_at: after(3 * DAY) })).toMatchObject({
      shape: 'expiring',
      end: '3 d left',
      bar: { tone: 'warning' },
    });
    expect(stateOf({ expires_at: after(DAY + 14 * HOUR) }).end).toBe('1 d 14 h left');
    expect(stateOf({ expires_at: null })).toMatchObject({ shape: 'active', end: 'doesn’t expire', bar: null });
  });

  test('Screen 4 an expired server that still runs says when it is suspended, never a negative time', () => {
    expect(stateOf({ expires_at: after(-DAY), suspends_at: after(14 * HOUR) })).toMatchObject({
      shape: 'expiring',
      label: 'Payment due',
      end: 'suspended in 14 h',
      bar: { value: 0 },
    });
    expect(stateOf({ expires_at: after(-DAY), suspends_at: null })).toMatchObject({ label: 'Payment due', end: null });
    expect(stateOf({ expires_at: after(1000) }).label).toBe('Expires soon');
  });

  test('a suspended server says so: for being unpaid with the time to deletion, else by the host', () => {
    const unpaid = {
      state: 'suspended',
      suspend_reason: 'expired',
      expires_at: after(-3.5 * DAY),
      deletes_at: after(3.5 * DAY),
    } as const;
    expect(stateOf(unpaid)).toMatchObject({
      shape: 'suspended',
      end: 'deleted in 3 d 12 h',
      bar: { value: 0.5, tone: 'danger' },
      note: 'Unpaid since 18 Nov 2026',
    });
    expect(stateOf({ state: 'suspended', suspend_reason: 'admin' })).toMatchObject({
      end: null,
      bar: null,
      note: 'Suspended by the host',
    });
  });

  test('a server on the way shows its place in the line, progress or failure', () => {
    const queue = {
      id: 'q',
      state: 'queued',
      position: 3,
      estimate_s: 60,
      attempts: 0,
      steps: [],
      can_cancel: true,
      last_error: null,
      waiting: null,
    } as const;
    expect(stateOf({ state: 'queued', queue: { ...queue, steps: [] } })).toMatchObject({
      shape: 'queued',
      end: 'number 3 in the queue',
    });
    // P2: what it waits for, in the place of a number or a bar that would be false.
    const waiting = { cause: 'panel', since: '2026-11-21T17:05:00.000Z' } as const;
    expect(stateOf({ state: 'queued', queue: { ...queue, steps: [], waiting } })).toMatchObject({
      end: null,
      bar: null,
      note: 'waiting for the panel',
    });
    expect(
      stateOf({ state: 'installing', progress: null, queue: { ...queue, state: 'building', steps: [], waiting } }),
    ).toMatchObject({ bar: null, note: 'waiting for the panel' });
    expect(stateOf({ state: 'installing', progress: 58 })).toMatchObject({
      shape: 'installing',
      end: '58 %',
      bar: { value: 0.58, tone: 'accent' },
    });
    expect(stateOf({ state: 'failed' })).toMatchObject({ shape: 'failed', bar: null });
    expect(stateOf({ state: 'deleting' })).toMatchObject({ shape: 'off', label: 'Being deleted' });
  });
});

test('needsCredits is true for an unpaid server and within three days of the end', () => {
  const cases: readonly [Partial<ServerView>, boolean][] = [
    [{ expires_at: after(3 * DAY) }, true],
    [{ expires_at: after(4 * DAY) }, false],
    [{ expires_at: null }, false],
    [{ state: 'suspended', suspend_reason: 'expired' }, true],
    [{ state: 'suspended', suspend_reason: 'ban' }, false],
    [{ state: 'installing', expires_at: after(DAY) }, false],
  ];
  expect(cases.map(([more]) => needsCredits(server(more), nowMs))).toEqual(cases.map(([, expected]) => expected));
});

test('greetings follow the hour of the time zone', () => {
  const at = (hour: number) => `2026-11-21T${String(hour).padStart(2, '0')}:00:00.000Z`;
  expect([4, 5, 11, 17, 23].map((hour) => greetingKey(at(hour), 'UTC'))).toEqual([
    'goodNight',
    'goodMorning',
    'goodDay',
    'goodEvening',
    'goodNight',
  ]);
  expect(greetingKey(at(16), 'Europe/Bucharest')).toBe('goodEvening');
});

test('hints lead to routes that exist', () => {
  expect(hintHref({ route: 'server.renew', id: 'a b' })).toBe('/server/a%20b/renew');
  expect(hintHref({ route: 'earn.afk', id: null })).toBe('/earn/afk');
  expect(hintHref({ route: 'nowhere', id: null })).toBeNull();
});
