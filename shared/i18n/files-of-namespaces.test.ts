import { expect, test } from 'bun:test';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { textFileOf, textFilesOf } from './files-of-namespaces.ts';

test('pages of guests need the common file alone, and no page of players the file of staff', () => {
  for (const { id, texts, layout } of ROUTE_LIST) {
    const files = textFilesOf(texts);
    if (layout === 'auth') expect({ id, files: files.filter((file) => file !== 'common') }).toEqual({ id, files: [] });
    if (layout !== 'admin') expect({ id, files: files.filter((file) => file === 'staff') }).toEqual({ id, files: [] });
  }
});

test('an area of staff has its texts in the file of staff, without being named', () => {
  expect(textFileOf('areas/sponsors')).toBe('staff');
  expect(textFilesOf(['ui', 'errors', 'areas/sponsors', 'dashboard'])).toEqual(['common', 'staff', 'player']);
});
