import { describe, expect, test } from 'bun:test';
import { SETTINGS, type SettingKey, type SettingRow } from '#shared/settings.ts';
import { durationUnits, toReadable, toStored, unitName } from './durations.ts';
import { changesIn, controlText, seenName, seenOf, typedTexts } from './form.ts';

const row = (key: SettingKey): SettingRow => SETTINGS[key];
const DURATIONS = (Object.keys(SETTINGS) as SettingKey[]).filter((key) => durationUnits(row(key)).length > 0);

describe('settings that are durations', () => {
  test('every setting in a unit of time is one, each with a choice of units, and no other is', () => {
    const timed = Object.entries(SETTINGS).filter(
      ([, { type, ...rest }]) =>
        type === 'number' && 'unit' in rest && ['ms', 's', 'min', 'h', 'days'].includes(rest.unit),
    );
    expect(DURATIONS).toEqual(timed.map(([key]) => key as SettingKey));
    expect(DURATIONS.length).toBeGreaterThan(25);
    expect(DURATIONS.filter((key) => durationUnits(row(key)).length < 2)).toEqual([]);
  });

  test('the units go from the stored one to the longest that fits into the maximum', () => {
    expect(durationUnits(row('webhook_timeout_ms'))).toEqual(['ms', 's', 'min']);
    expect(durationUnits(row('embedded_install_seconds'))).toEqual(['s', 'min', 'h']);
    expect(durationUnits(row('abuse_wait_minutes'))).toEqual(['min', 'h', 'days']);
    expect(durationUnits(row('queue_give_up_hours'))).toEqual(['h', 'days', 'weeks']);
    expect(durationUnits(row('server_renew_days'))).toEqual(['days', 'weeks']);
    expect([durationUnits(row('gift_min')), durationUnits(row('app_name'))]).toEqual([[], []]);
  });

  test('a number is shown in the longest unit of which it is whole, nothing in the stored one, and days as days', () => {
    expect(toReadable(row('queue_give_up_hours'), 72)).toEqual({ count: 3, unit: 'days' });
    expect(toReadable(row('queue_give_up_hours'), 30)).toEqual({ count: 30, unit: 'h' });
    expect(toReadable(row('webhook_timeout_ms'), 10_000)).toEqual({ count: 10, unit: 's' });
    expect(toReadable(row('webhook_timeout_ms'), 1500)).toEqual({ count: 1500, unit: 'ms' });
    expect(toReadable(row('server_renew_days'), 14)).toEqual({ count: 14, unit: 'days' });
    expect(toReadable(row('abuse_proof_hours'), 0)).toEqual({ count: 0, unit: 'h' });
    expect(toReadable(row('gift_min'), 60)).toBeNull();
  });

  test('what is typed is stored in the unit of the setting, exactly, or refused', () => {
    const hours = row('queue_give_up_hours');
    expect([
      toStored(hours, '3', 'days'),
      toStored(hours, '1.5', 'days'),
      toStored(hours, '0,25', 'days'),
      toStored(hours, '72', 'h'),
      toStored(hours, '2', 'weeks'),
      toStored(hours, '-1', 'days'),
      toStored(row('abuse_wait_minutes'), '1.1', 'h'),
    ]).toEqual(['72', '36', '6', '72', '336', '-24', '66']);
    // Half an hour is no whole number of hours; a unit that is not offered, and what is no number, are nothing either.
    for (const [typed, unit] of [
      ['0.5', 'h'],
      ['5', 'ms'],
      ['5', 'constructor'],
      ['1e3', 'h'],
      ['soon', 'days'],
    ] as const)
      expect(toStored(hours, typed, unit)).toBe(`${typed} ${unit}`);
    expect([toStored(hours, '', 'days'), toStored(hours, '12', null)]).toEqual(['', '12']);
  });

  test('every duration that nobody touches stays as it is stored, in each unit that it is shown in', () => {
    for (const key of DURATIONS) {
      const declared = row(key);
      if (declared.type !== 'number') throw new Error(key);
      for (const value of [declared.min, declared.max, declared.default, declared.min + 1]) {
        const shown = toReadable(declared, value);
        expect([key, toStored(declared, String(shown?.count), shown?.unit ?? null)]).toEqual([key, String(value)]);
      }
    }
  });
});

describe('a form with a duration', () => {
  const key = 'queue_give_up_hours';
  function formOf(typed: string, unit: string): FormData {
    const form = new FormData();
    form.set(seenName(key), seenOf(key, { value: 72, revision: 3 }, 'EUR'));
    form.set(key, typed);
    form.set(unitName(key), unit);
    return form;
  }
  const changes = (typed: string, unit: string) => changesIn(formOf(typed, unit), 'EUR');

  test('the same length in another unit is no change, and another unit of the same number is one', () => {
    expect(controlText(key, 72, 'EUR')).toBe('72');
    expect([changes('3', 'days'), changes('72', 'h')]).toEqual([[], []]);
    expect(changes('3', 'weeks')).toEqual([{ key, value: 504, revision: 3 }]);
    expect(changes('0.5', 'h')).toEqual([{ key, value: '0.5 h', revision: 3 }]);
  });

  test('what was typed comes back with its unit', () => {
    const form = formOf('5', 'days');
    expect(typedTexts(form, changesIn(form, 'EUR'))).toEqual({ [key]: '5', [unitName(key)]: 'days' });
    form.delete(unitName(key));
    expect(typedTexts(form, changesIn(form, 'EUR'))).toEqual({ [key]: '5' });
  });
});
