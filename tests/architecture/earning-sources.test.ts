import { describe, expect, test } from 'bun:test';
import { LOCALES } from '#shared/i18n/locales.ts';
import { EARNING_SOURCES, SOURCE_NAMES, sourceOfKind } from '#shared/earning-sources.ts';
import { ROUTES } from '#shared/routes/table.ts';
import { isSettingKey, SETTINGS } from '#shared/settings.ts';
import { isNode, nameOf, parseSource, readSources, walk, type SyntaxNode } from '#tests/support/sources.ts';
import { textsOf } from '#tests/support/texts.ts';

/**
 * Where the sources may be listed: the declaration, the place where their services are put together, and what was
 * released and is never edited.
 */
const MAY_LIST = /^(?:shared\/earning-sources\.ts|server\/compose\/earning\.ts|server\/data\/migrations\/)/;
/** So many of their names in one list or union are a list of the sources. */
const A_LIST = 3;
/** The same of keys: an object that puts modules together has three of these names among others. */
const A_MAP = 4;

const names = new Set<string>(SOURCE_NAMES);
const textOf = (node: unknown): string =>
  isNode(node, 'StringLiteral') && typeof node.value === 'string' ? node.value : '';

/** The names that an array, a union of types, an object or a type of one lists; none for other nodes. */
function listed(node: SyntaxNode): string[] {
  const of = (part: unknown, name: (each: SyntaxNode) => string) =>
    Array.isArray(part) ? part.filter((each): each is SyntaxNode => isNode(each)).map(name) : [];
  if (node.type === 'ArrayExpression') return of(node.elements, textOf);
  if (node.type === 'TSUnionType')
    return of(node.types, (each) => (isNode(each, 'TSLiteralType') ? textOf(each.literal) : ''));
  const key = (each: SyntaxNode) => (isNode(each.key) ? nameOf(each.key) : '');
  if (node.type === 'ObjectExpression') return of(node.properties, key);
  return node.type === 'TSTypeLiteral' ? of(node.members, key) : [];
}

function listsIn(path: string, tree: SyntaxNode): string[] {
  const found: string[] = [];
  walk(tree, (node) => {
    const here = new Set(listed(node).filter((name) => names.has(name)));
    if (here.size >= (/^(?:Object|TSTypeLiteral)/.test(node.type) ? A_MAP : A_LIST))
      found.push(`${path}: ${[...here].join(', ')}`);
    return true;
  });
  return found;
}

/** The files that name enough of them to be worth parsing. */
const FILES = readSources(
  ['client/**/*.{ts,tsx}', 'server/**/*.ts', 'shared/**/*.ts', 'scripts/**/*.ts'],
  (text, path) =>
    !MAY_LIST.test(path) &&
    SOURCE_NAMES.filter((name) => new RegExp(`'${name}'|\\b${name}\\??:`).test(text)).length >= A_LIST,
);

describe('the earning sources', () => {
  test('the search sees a list as an array, a union, and the keys of an object', () => {
    for (const source of [
      "const a = ['afk', 'redeem', 'link'];",
      "type A = 'afk' | 'j4r' | 'link';",
      'const a = { afk: 1, redeem: 2, j4r: 3, link: 4 };',
    ])
      expect(listsIn('x', parseSource(source, false))).toHaveLength(1);
    expect(listsIn('x', parseSource("const a = ['afk', 'redeem', 'store'];", false))).toEqual([]);
  });

  test('the declaration is the only list of the sources', () => {
    const found = FILES.flatMap(({ path, tree }) => listsIn(path, tree));
    expect(found).toEqual([]);
  });

  test.each(SOURCE_NAMES)('%s has a kill switch, a cap, a budget and a page', (source) => {
    const { enabled, cap, page } = EARNING_SOURCES[source];
    // Early supporters are off until a host wants them (behaviour 4.7).
    expect(SETTINGS[enabled]).toMatchObject({ type: 'switch', default: source !== 'early_supporters' });
    expect(SETTINGS[`${source}_daily_cap`]).toMatchObject({ default: cap, min: 0, unit: 'credits' });
    expect(SETTINGS[`${source}_daily_budget`]).toMatchObject({ default: 0, min: 0, unit: 'credits' });
    expect(isSettingKey(enabled)).toBe(true);
    // A small source may live on the page of another one.
    const switches = SOURCE_NAMES.filter((name) => EARNING_SOURCES[name].page === page);
    expect(ROUTES[page].guard).toBe('signed-in');
    // The dashboard is there whatever is off.
    if (page !== 'dashboard')
      expect(switches.map((name): string => EARNING_SOURCES[name].enabled)).toContain(ROUTES[page].flag);
    expect(sourceOfKind(`reward.${source}`)).toBe(source);
  });

  test.each(LOCALES)('%s has the words of every source, and of nothing that is none', (locale) => {
    const own = Object.keys(textsOf(locale, 'sources'));
    const wanted = SOURCE_NAMES.flatMap((source) =>
      ['name', 'reward', 'why', 'open'].map((word) => `${source}.${word}`),
    );
    expect(wanted.filter((key) => !own.includes(key))).toEqual([]);
    expect(own.filter((key) => !names.has(key.split('.')[0] ?? ''))).toEqual([]);
  });
});
