import { afterEach, describe, expect, test } from 'bun:test';
import type { FieldErrors } from '#shared/errors.ts';
import { SETTINGS, type SettingKey, type SettingRow, type SettingValues } from '#shared/settings.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';
import { testSealer } from '#tests/support/sealing.ts';
import { createSettings } from './service.ts';
import { faultOf, withDefaults } from './values.ts';

// Shows behaviour 8.4: every setting at its bounds and beyond, made from the registry.

const ROWS = Object.entries(SETTINGS) as [SettingKey, SettingRow][];
const open: TestDb[] = [];
afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
});

/** Values that no setting of a type takes. */
const WRONG: Readonly<Record<SettingRow['type'], readonly unknown[]>> = {
  number: ['5', '', true, null, undefined, Number.NaN, Infinity, -Infinity, [1], {}],
  switch: ['on', 'true', '', 1, 0, null, undefined, [], {}],
  text: [1, 0, true, false, null, undefined, ['text'], {}, 'a\u0000b', 'a\u001Bb', '\uD800'],
};

test('every setting refuses values of another type, and texts with control characters or half a character', () => {
  for (const [key, row] of ROWS)
    for (const value of WRONG[row.type])
      expect([key, value, faultOf(key, value) === null]).toEqual([key, value, false]);
});

test('every setting takes its default, and each one of its choices and no other', () => {
  for (const [key, row] of ROWS) {
    expect([key, faultOf(key, row.default)]).toEqual([key, null]);
    if (row.type !== 'text' || !row.choices) continue;
    for (const choice of row.choices) expect([key, choice, faultOf(key, choice)]).toEqual([key, choice, null]);
    for (const other of ['', 'nothing', (row.choices[0] ?? '').toUpperCase(), ` ${row.default}`])
      expect([key, other, faultOf(key, other)]).toEqual([key, other, 'INVALID']);
  }
});

test('every number takes its least and its most, and nothing below, above or between whole ones', () => {
  for (const [key, row] of ROWS) {
    if (row.type !== 'number') continue;
    expect(row.min).toBeLessThan(row.max);
    const faults = [row.min, row.max, row.min - 1, row.max + 1, row.min + 0.5].map((value) => faultOf(key, value));
    expect([key, ...faults]).toEqual([key, null, null, 'TOO_SMALL', 'TOO_LARGE', 'NOT_WHOLE']);
    expect([key, faultOf(key, Number.MAX_SAFE_INTEGER), faultOf(key, -Number.MAX_SAFE_INTEGER)]).toEqual([
      key,
      'TOO_LARGE',
      'TOO_SMALL',
    ]);
  }
});

test('every text is refused one character above its length, and a short one with a line break', () => {
  for (const [key, row] of ROWS) {
    if (row.type !== 'text' || row.choices) continue;
    expect([key, faultOf(key, 'a'.repeat(row.max + 1))]).toEqual([key, 'TOO_LONG']);
    if (!row.lines) expect([key, faultOf(key, 'a\nb')]).toEqual([key, 'INVALID']);
  }
});

test('what is stored beyond a bound, or is none of a setting, counts as its default', () => {
  const beyond = ROWS.map(([key, row]): [string, string] => [
    key,
    row.type === 'number' ? JSON.stringify(row.max + 1) : row.type === 'switch' ? '"on"' : '7',
  ]);
  const defaults = Object.fromEntries(ROWS.map(([key, row]) => [key, row.default]));
  expect<object>(withDefaults(new Map(beyond))).toEqual(defaults);
  expect<object>(withDefaults(new Map(ROWS.map(([key]): [string, string] => [key, '{'])))).toEqual(defaults);
});

describe.each(ENGINES)('on %s', (engine) => {
  test('every number and switch is stored at its bounds and read again as it was, and one beyond changes nothing', async () => {
    const db = await openTestDb(engine);
    open.push(db);
    const deps = { uow: db.uow, bus: db.bus, clock: fakeClock(), ids: testIds(), sealer: testSealer, log: db.log };
    const settings = createSettings(deps);
    await settings.load();
    const at = (bound: 'min' | 'max') =>
      Object.fromEntries(
        ROWS.flatMap(([key, row]): [SettingKey, number | boolean][] =>
          row.type === 'number' ? [[key, row[bound]]] : row.type === 'switch' ? [[key, bound === 'max']] : [],
        ),
      ) as Partial<SettingValues>;
    for (const bound of ['min', 'max'] as const) {
      await settings.set(null, at(bound));
      const fresh = createSettings(deps);
      await fresh.load();
      expect<object>(fresh.current()).toMatchObject(at(bound));
    }
    const fields = await settings.set(null, { ...at('min'), gift_fee_percent: 101, app_name: 'a'.repeat(61) }).then(
      () => null,
      (error: { fields?: FieldErrors }) => error.fields,
    );
    expect(fields).toEqual({ gift_fee_percent: ['TOO_LARGE'], app_name: ['TOO_LONG'] });
    expect<object>(settings.current()).toMatchObject(at('max'));
  });
});
