import { describe, expect, test } from 'bun:test';
import ui from '#locales/en/ui.json';
import { createFormat, splitDuration } from './format.ts';
import { createI18n } from './i18n-instance.ts';
import { createTranslator } from './translator.ts';
import type { Locale } from '#shared/i18n/locales.ts';

function formatIn(locale: Locale, timeZone = 'Europe/Bucharest') {
  return createFormat(createTranslator(createI18n(locale, { en: { ui } }), locale), timeZone);
}

/** 17 November 2026, 19:02 in Bucharest (UTC+2). */
const AT = Date.UTC(2026, 10, 17, 17, 2);
const DAY = 86_400_000;

describe('numbers', () => {
  const f = formatIn('en');
  test('numbers are grouped by language', () => {
    expect(f.number(1284)).toBe('1,284');
    expect(formatIn('de').number(1284)).toBe('1.284');
    expect(formatIn('md').number(1284)).toBe('1.284');
  });
  test('credits have a noun', () => {
    expect(f.credits(1)).toBe('1 credit');
    expect(f.credits(0)).toBe('0 credits');
    expect(f.credits(12_380)).toBe('12,380 credits');
  });
  test('percentages are whole unless a fraction is asked for', () => {
    expect(f.percent(0.424)).toBe('42 %');
    expect(f.percent(0.425, 1)).toBe('42.5 %');
  });
  test('memory changes its unit at 1,024 MB', () => {
    expect(f.memory(0)).toBe('0 MB');
    expect(f.memory(1023)).toBe('1,023 MB');
    expect(f.memory(1024)).toBe('1 GB');
    expect(f.memory(1536)).toBe('1.5 GB');
  });
});

describe('moments', () => {
  const f = formatIn('en');
  test('moments are shown in the given zone, not in the machine’s', () => {
    expect(f.dateTime(AT)).toBe('17 Nov 2026, 19:02');
    expect(formatIn('en', 'America/New_York').dateTime(AT)).toBe('17 Nov 2026, 12:02');
    expect(formatIn('en', 'Pacific/Auckland').date(AT)).toBe('18 Nov 2026');
  });
  test('moments come as milliseconds or as ISO strings', () => {
    expect(f.date(new Date(AT).toISOString())).toBe(f.date(AT));
  });
  test('an unknown zone counts as UTC', () => {
    expect(formatIn('en', 'Mars/Base').time(AT)).toBe('17:02');
  });
  test('midnight is written as 00:00', () => {
    expect(f.time(Date.UTC(2026, 10, 17, 22, 0))).toBe('00:00');
  });
  test('formatWhen is short close by and in full further off', () => {
    expect(f.when(AT, AT + 1000)).toBe('Today 19:02');
    expect(f.when(AT, AT + 5 * 3_600_000)).toBe('Yesterday 19:02');
    expect(f.when(AT, AT + 3 * DAY)).toBe('17 Nov');
    expect(f.when(AT, AT + 60 * DAY)).toBe('17 Nov 2026');
  });
  test('a relative time picks the fitting unit', () => {
    expect(f.relative(AT - 3 * 60_000, AT)).toBe('3 min ago');
    expect(f.relative(AT + 2 * DAY, AT)).toBe('in 2 days');
    expect(f.relative(AT - DAY, AT)).toBe('yesterday');
  });
});

describe('durations', () => {
  const f = formatIn('en');
  test('durations show the two largest units', () => {
    expect(f.duration(0)).toBe('0 s');
    expect(f.duration(-5000)).toBe('0 s');
    expect(f.duration(59_999)).toBe('59 s');
    expect(f.duration(112_000)).toBe('1 min 52 s');
    expect(f.duration(3_600_000)).toBe('1 h');
    expect(f.duration(DAY + 14 * 3_600_000 + 59_000)).toBe('1 d 14 h');
  });
  test('durations are split into whole units', () => {
    expect(splitDuration(DAY + 3_661_000)).toEqual({ days: 1, hours: 1, minutes: 1, seconds: 1 });
    expect(splitDuration(-1)).toEqual({ days: 0, hours: 0, minutes: 0, seconds: 0 });
  });
});

test('a formatter is made once for a translator and a zone', () => {
  const translator = createTranslator(createI18n('en', { en: { ui } }), 'en');
  expect(createFormat(translator, 'UTC')).toBe(createFormat(translator, 'UTC'));
  expect(createFormat(translator, 'UTC')).not.toBe(createFormat(translator, 'Europe/Paris'));
});
