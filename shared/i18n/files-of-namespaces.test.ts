import { expect, test } from 'bun:test';
import { textFileOf } from './files-of-namespaces.ts';

test('an area of staff has its texts in the file of staff, without being named', () => {
  expect(textFileOf('areas/sponsors')).toBe('staff');
});

test('what every page and the log-in say is in the common file, what players read in theirs', () => {
  for (const name of ['ui', 'errors', 'shell', 'startup', 'auth'] as const) expect(textFileOf(name)).toBe('common');
  for (const name of ['dashboard', 'announcements', 'servers'] as const) expect(textFileOf(name)).toBe('player');
});
