import { describe, expect, test } from 'bun:test';
import { isFiltered, listSearch, nextSort, pageCount, readList } from './url-state.ts';
import type { ListSpec } from './url-state.ts';

const spec: ListSpec = {
  sortable: ['code', 'credits'],
  defaultSort: { key: 'credits', dir: 'desc' },
  sizes: [25, 50],
  filters: ['status', 'location'],
};

describe('readList', () => {
  test('readList gives the defaults for an empty address', () => {
    expect(readList('', spec)).toEqual({ page: 1, size: 25, sort: spec.defaultSort, q: '', filters: {} });
  });

  test('readList reads every part', () => {
    expect(readList('?q=+winter+&status=active&sort=code&size=50&page=3', spec)).toEqual({
      page: 3,
      size: 50,
      sort: { key: 'code', dir: 'asc' },
      q: 'winter',
      filters: { status: 'active' },
    });
  });

  test.each([
    ['page=0', 'page', 1],
    ['page=-2', 'page', 1],
    ['page=1.5', 'page', 1],
    ['page=1e99', 'page', 1],
    ['page=abc', 'page', 1],
    ['size=7', 'size', 25],
    ['size=', 'size', 25],
  ] as const)('T1 readList counts %s as not given', (search, key, wanted) => {
    expect(readList(search, spec)[key]).toBe(wanted);
  });

  test('T1 readList refuses a sort by a column that is not declared', () => {
    expect(readList('sort=-password', spec).sort).toEqual(spec.defaultSort);
    expect(readList('sort=--credits', spec).sort).toEqual(spec.defaultSort);
  });

  test('readList leaves out unknown filters and cuts long searches', () => {
    const state = readList(`role=root&q=${'x'.repeat(500)}`, spec);
    expect(state.filters).toEqual({});
    expect(state.q).toHaveLength(200);
  });
});

describe('listSearch', () => {
  const state = readList('?status=active&q=winter&page=4', spec);

  test('the search is empty for the defaults', () => {
    expect(listSearch(readList('', spec), spec)).toBe('');
  });

  test('the search comes back as it was read', () => {
    expect(listSearch(state, spec)).toBe('?q=winter&status=active&page=4');
    expect(readList(listSearch(state, spec), spec)).toEqual(state);
  });

  test('equal states have equal addresses, whatever the order was', () => {
    const other = readList('?page=4&q=winter&status=active&sort=-credits&size=25', spec);
    expect(listSearch(other, spec)).toBe(listSearch(state, spec));
  });

  test('the search goes back to page 1 with any change but of the page', () => {
    expect(listSearch(state, spec, { sort: { key: 'code', dir: 'desc' } })).toBe('?q=winter&status=active&sort=-code');
    expect(listSearch(state, spec, { page: 5 })).toBe('?q=winter&status=active&page=5');
  });

  test('the search takes a filter away when it is empty', () => {
    expect(listSearch(state, spec, { filters: { status: '' }, q: '' })).toBe('');
  });

  test('the search keeps odd signs in values', () => {
    const odd = readList('', spec);
    const search = listSearch(odd, spec, { q: 'a&b=c +%' });
    expect(readList(search, spec).q).toBe('a&b=c +%');
  });
});

test('a click sorts in the first direction, and a second one reverses it', () => {
  expect(nextSort(spec.defaultSort, 'code')).toEqual({ key: 'code', dir: 'asc' });
  expect(nextSort({ key: 'code', dir: 'asc' }, 'code')).toEqual({ key: 'code', dir: 'desc' });
  expect(nextSort({ key: 'code', dir: 'desc' }, 'code', 'desc')).toEqual({ key: 'code', dir: 'asc' });
});

test('the search knows when a list is narrowed', () => {
  expect(isFiltered(readList('page=3&sort=code', spec))).toBe(false);
  expect(isFiltered(readList('q=x', spec))).toBe(true);
  expect(isFiltered(readList('status=active', spec))).toBe(true);
});

test('an empty list has one page', () => {
  expect(pageCount(0, 25)).toBe(1);
  expect(pageCount(25, 25)).toBe(1);
  expect(pageCount(26, 25)).toBe(2);
});

test('what a list keeps is in every address of it, and changes neither page nor filters', () => {
  const wide: ListSpec = { ...spec, kept: ['columns'] };
  const state = readList('?status=active&columns=role&page=4', wide);
  expect([state.kept, isFiltered(readList('?columns=role', wide))]).toEqual([{ columns: 'role' }, false]);
  expect(listSearch(state, wide, { q: 'x' })).toBe('?q=x&status=active&columns=role');
  expect(listSearch(state, wide, { kept: { columns: 'role,credits' } })).toBe(
    '?status=active&page=4&columns=role%2Ccredits',
  );
  expect(listSearch(state, wide, { kept: { columns: '' } })).toBe('?status=active&page=4');
});

test('a cursor-paged list keeps its cursor until anything else changes, and accepts only valid ones', () => {
  const turned: ListSpec = { ...spec, cursor: /^\d+$/ };
  const state = readList('?status=active&before=17&page=4', turned);
  expect(state.cursor).toEqual({ before: '17' });
  expect(listSearch(state, turned)).toBe('?status=active&page=4&before=17');
  expect(listSearch(state, turned, { cursor: { after: '18' } })).toBe('?status=active&after=18');
  expect(listSearch(state, turned, { cursor: null })).toBe('?status=active');
  expect(listSearch(state, turned, { filters: { status: '' } })).toBe('');
  expect([readList('?before=x', turned).cursor, readList('?before=17', spec).cursor]).toEqual([undefined, undefined]);
});
