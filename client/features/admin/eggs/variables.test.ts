import { expect, test } from 'bun:test';
import { initialRows, readVariables } from './variables.ts';

const row = (at: number, env: string, more: Readonly<Record<string, string>> = {}) =>
  Object.entries({ env, name: env && `Name ${env}`, description: '', default_value: '', rules: 'string', ...more }).map(
    ([part, value]) => [`variables.${at}.${part}`, value] as const,
  );

test('plain fields become variables, in the order of their numbers', () => {
  const read = readVariables([
    ...row(10, 'B'),
    ...row(2, 'A', { user_editable: 'on' }),
    ['name', 'Paper'],
    ['variables.x.env', 'no'],
    ['variables.99999.env', 'no'],
  ]);
  expect(read).toEqual([
    { env: 'A', name: 'Name A', description: '', default_value: '', rules: 'string', user_editable: true },
    { env: 'B', name: 'Name B', description: '', default_value: '', rules: 'string', user_editable: false },
  ]);
});

test('an emptied row is gone, a half-filled one is kept for the schema to refuse', () => {
  const read = readVariables([
    ...row(0, ''),
    ...row(1, 'A'),
    ...row(2, '', { default_value: 'x' }),
    ...row(3, '', { name: '  ' }),
  ]);
  expect(read.map((each) => [each.env, each.default_value])).toEqual([
    ['A', ''],
    ['', 'x'],
  ]);
});

test('parts that are no part of a variable do not come along', () => {
  const [read] = readVariables([...row(0, 'A', { __proto__x: '1', id: '7' })]);
  expect(Object.keys(read ?? {}).sort()).toEqual([
    'default_value',
    'description',
    'env',
    'name',
    'rules',
    'user_editable',
  ]);
});

test('the editor begins with the egg, and after a refusal with what was typed', () => {
  const saved = [{ env: 'A', name: 'A', description: '', default_value: '', rules: '', user_editable: true }];
  expect(initialRows({}, saved)).toEqual(saved);
  expect(initialRows({}, undefined)).toEqual([]);
  expect(initialRows(Object.fromEntries([['name', 'Paper'], ...row(4, 'C')]), saved).map((each) => each.env)).toEqual([
    'C',
  ]);
  expect(initialRows({ name: 'Paper' }, saved)).toEqual([]);
});
