import { describe, expect, test } from 'bun:test';
import type { PaletteEntry, PaletteGroup } from '#client/lib/palette.ts';
import { GROUP_MAX, matchEntry, rankEntries, RECENT_MAX } from './rank.ts';

const entry = (
  id: string,
  label: string,
  group: PaletteGroup = 'go',
  more: Partial<PaletteEntry> = {},
): PaletteEntry => ({ id, group, label, to: `/${id}`, ...more });
const ALL = [
  entry('theme', 'Switch to light', 'do', { words: ['theme', 'dark'] }),
  entry('renew:1', 'Renew Skyhold SMP', 'do'),
  entry('server:1', 'Skyhold SMP', 'servers', { hint: 'Paper' }),
  entry('server:2', 'Lanternwood', 'servers'),
  entry('dashboard', 'Dashboard'),
  entry('statement', 'Statement', 'go', { hint: 'Account' }),
  entry('store', 'Store'),
  entry('admin.eggs', 'Eggs', 'admin'),
  entry('admin.locations', 'Locations', 'admin'),
];
const ids = (typed: string, recent: readonly string[] = []) =>
  rankEntries(ALL, typed, recent).flatMap(({ hits }) => hits.map((hit) => hit.entry.id));
const marked = (label: string, query: string): string => {
  const hit = matchEntry(entry('x', label), query);
  return hit ? [...label].filter((_, at) => hit.marks.has(at)).join('') : '';
};

describe('what fits', () => {
  test('the beginning counts most, then the beginning of a word, then the middle', () => {
    const score = (label: string) => matchEntry(entry('x', label), 'sto')?.score ?? 0;
    expect(score('Store')).toBeGreaterThan(score('The Store'));
    expect(score('The Store')).toBeGreaterThan(score('Gastown'));
    expect(score('Gastown')).toBeGreaterThan(0);
    expect(matchEntry(entry('x', 'Dashboard'), 'sto')).toBeNull();
  });
  test('neither case nor accents count, and the characters that fit are marked in the label as it stands', () => {
    expect(marked('Übersicht über Räume', 'uber')).toBe('Über');
    expect(marked('Créer un serveur', 'CREER')).toBe('Créer');
    expect(marked('Renew Skyhold SMP', 'smp ren')).toBe('RenSMP');
    expect(marked('😀 Party', 'par')).toBe('Par');
  });
  test('characters may be left out, but not strewn about', () => {
    expect(marked('Dashboard', 'dshb')).toBe('Dshb');
    expect(matchEntry(entry('x', 'Download this statement as a file'), 'dtf')).toBeNull();
    expect(matchEntry(entry('x', 'Dashboard'), 'draob')).toBeNull();
  });
  test('every word must fit somewhere: in the label, the hint or further words', () => {
    expect(ids('statement account')).toEqual(['statement']);
    expect(ids('theme')).toEqual(['theme']);
    expect(ids('statement nowhere')).toEqual([]);
  });
});

describe('the order', () => {
  test('the best group comes first, the best line first in it', () => {
    expect(ids('sky')[0]).toBe('server:1');
    expect(ids('renew')[0]).toBe('renew:1');
    expect(ids('st').slice(0, 2)).toEqual(['store', 'statement']);
  });
  test('what was used lately wins against its like, not against a better fit', () => {
    expect(ids('st', ['statement'])[0]).toBe('statement');
    expect(ids('store', ['statement'])[0]).toBe('store');
  });
  test('without a query those used lately come first, once, and unknown ones are left out', () => {
    const groups = rankEntries(ALL, '', ['store', 'gone', 'server:2']);
    expect(groups.map(({ group }) => group)).toEqual(['recent', 'servers', 'go', 'do', 'admin']);
    expect(groups[0]?.hits.map(({ entry: { id } }) => id)).toEqual(['store', 'server:2']);
    expect(ids('', ['store', 'gone', 'server:2'])).toHaveLength(ALL.length);
  });
  test('quiet entries are there for those who search for them, or used them lately', () => {
    const german = entry('de', 'Deutsch', 'do', { quiet: true });
    expect(rankEntries([german], '', [])).toEqual([]);
    expect(rankEntries([german], 'deu', [])).toHaveLength(1);
    expect(rankEntries([german], '', ['de'])[0]?.group).toBe('recent');
  });
  test('a > asks for what can be done', () => {
    expect(ids('>')).toEqual(['theme', 'renew:1']);
    expect(ids('> sky')).toEqual(['renew:1']);
  });
  test('groups of results are bounded', () => {
    const many = Array.from({ length: 40 }, (_, index) => entry(`n${index}`, `Number ${index}`));
    expect(rankEntries(many, 'number', [])[0]?.hits).toHaveLength(GROUP_MAX);
    expect(
      rankEntries(
        many,
        '',
        many.map(({ id }) => id),
      )[0]?.hits,
    ).toHaveLength(RECENT_MAX);
  });
});
