import { expect, test } from 'bun:test';
import { differenceOf, isSameContent, readContent } from './content.ts';

const form = (...fields: readonly (readonly [string, string])[]): FormData => {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value);
  return data;
};
const content = (...texts: readonly string[]) => ({
  subject: 'S',
  blocks: texts.map((text) => ({ kind: 'text' as const, text })),
});

test('a form of blocks is read in its order, and blocks without a text are left out but for lines', () => {
  const read = readContent(
    form(
      ['subject', 'Hello'],
      ['kind', 'text'],
      ['text', 'One\r\ntwo'],
      ['kind', 'note'],
      ['text', '  '],
      ['kind', 'divider'],
      ['text', 'ignored'],
      ['kind', 'script'],
      ['text', 'no such kind'],
      ['kind', 'button'],
      ['text', 'Go'],
    ),
  );
  expect(read).toEqual({
    subject: 'Hello',
    blocks: [
      { kind: 'text', text: 'One\ntwo' },
      { kind: 'divider', text: '' },
      { kind: 'button', text: 'Go' },
    ],
  });
  expect(readContent(form())).toEqual({ subject: '', blocks: [] });
});

test('a difference names what was removed and added in its order, and nothing of what stayed', () => {
  expect(differenceOf(content('a', 'b', 'c'), content('a', 'x', 'c', 'd'))).toEqual([
    { change: 'removed', text: 'b' },
    { change: 'added', text: 'x' },
    { change: 'added', text: 'd' },
  ]);
  expect(differenceOf(content('a', 'b'), content('b', 'a'))).toHaveLength(2);
  expect(differenceOf(content('a'), content('a'))).toEqual([]);
});

test('a block of another kind is another content, and so is another subject', () => {
  const one = content('a');
  expect(isSameContent(one, content('a'))).toBe(true);
  expect(isSameContent(one, { ...one, subject: 'T' })).toBe(false);
  expect(isSameContent(one, { ...one, blocks: [{ kind: 'note', text: 'a' }] })).toBe(false);
});
