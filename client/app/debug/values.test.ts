import { describe, expect, test } from 'bun:test';
import { MASK } from '#shared/mask.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/');
const { canUnfold, childrenOf, prettyBody, formatValue } = await import('./values.ts');
const { openStorageArea, formatEntry } = await import('./storage-areas.ts');
const { groupErrors } = await import('./errors-tab.tsx');

describe('values in one line', () => {
  const round: unknown[] = [1];
  round.push(round);
  test.each<[unknown, string]>([
    ['a "b"', String.raw`"a \"b\""`],
    [3, '3'],
    [10n, '10n'],
    [null, 'null'],
    [undefined, 'undefined'],
    [
      { a: 1, b: { c: { d: 1 } }, password: 'x', error_code: 'NO' },
      `{a: 1, b: {c: {…}}, password: ${MASK}, error_code: "NO"}`,
    ],
    [[1, 2, 3, 4, 5, 6], 'Array(6) [1, 2, 3, 4, 5, …]'],
    [round, 'Array(2) [1, Array(2) [1, Array(2)]]'],
    [new Map([['a', 1]]), 'Map(1) {a: 1}'],
    [new Error('no'), 'Error: no'],
    ['user_token=1; locale=EN', `"user_token=${MASK}; locale=EN"`],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
  ])('case %# is written in one line', (value, text) => expect(formatValue(value).text).toBe(text));

  test('the line shows what a class says of itself, and what throws', () => {
    class Answer {
      get status(): number {
        return 200;
      }
      get body(): string {
        throw new Error('gone');
      }
      json(): void {}
    }
    expect(childrenOf(new Answer())).toEqual([{ name: 'status', value: 200 }]);
    expect([canUnfold({}), canUnfold([1]), canUnfold('text')]).toEqual([false, true, false]);
  });
});

test('a body is indented and coloured, one that is no JSON stays as it is', () => {
  expect(prettyBody(`{"a":1,"key":"${MASK}","ok":true}`).filter(({ kind }) => kind !== 'plain')).toEqual([
    { text: '"a"', kind: 'name' },
    { text: '1', kind: 'number' },
    { text: '"key"', kind: 'name' },
    { text: `"${MASK}"`, kind: 'masked' },
    { text: '"ok"', kind: 'name' },
    { text: 'true', kind: 'word' },
  ]);
  expect(prettyBody('a=1')).toEqual([{ text: 'a=1', kind: 'plain' }]);
});

test('storage is read, changed, added to and deleted from, and this tab hears of it like the others', () => {
  localStorage.clear();
  const heard: unknown[] = [];
  window.addEventListener('storage', ({ key, newValue }) => heard.push([key, newValue]));
  const area = openStorageArea('local');
  area.set('locale', 'EN');
  area.set('a', '1');
  expect(area.entries()).toEqual([
    ['a', '1'],
    ['locale', 'EN'],
  ]);
  area.remove('a');
  expect(area.entries()).toEqual([['locale', 'EN']]);
  expect(heard).toEqual([
    ['locale', 'EN'],
    ['a', '1'],
    ['a', null],
  ]);
  const cookies = openStorageArea('cookies');
  cookies.set('theme', 'light; x');
  expect(cookies.entries()).toEqual([['theme', 'light%3B%20x']]);
  cookies.remove('theme');
  expect(cookies.entries()).toEqual([]);
  expect([formatEntry('user_token', '1'), formatEntry('user_info', '{"name":"a","token":"b"}')]).toEqual([
    MASK,
    `{"name":"a","token":"${MASK}"}`,
  ]);
});

test('the same error again and again is one row with a count', () => {
  const error = (id: number, text: string) => ({ id, atMs: id, text, stack: '' });
  expect(groupErrors([error(3, 'a'), error(2, 'b'), error(1, 'a')])).toEqual([
    { last: error(3, 'a'), count: 2 },
    { last: error(2, 'b'), count: 1 },
  ]);
});
