import { describe, expect, test } from 'bun:test';
import { basename, dirname, join } from 'node:path';
import { existsSync } from 'node:fs';
import { citedIn, decisionsCitedIn, filesOf, KNOWN, namedIn, RULES, rulesIn, sectionsIn } from './documents.ts';

const SOURCES = filesOf('{client,server,shared,scripts,tests}/**/*.{ts,tsx}', '{client,server,shared}/**/*.md').filter(
  ({ path }) => !path.startsWith('tests/specification/documents'),
);
/** What shows a rule: tests, and what they are put together from. */
const TESTS = SOURCES.filter(({ path }) => path.startsWith('tests/') || /\.test\.tsx?$/.test(path));

describe('the documents in shared/specification', () => {
  test('the search reads rules, sections, citations over lines and in lists, and names of tests', () => {
    expect(rulesIn('**3.1** One.\n**3.2** (background: not built yet) Two.', 'behaviour ')).toEqual([
      { id: 'behaviour 3.1', background: false },
      { id: 'behaviour 3.2', background: true },
    ]);
    expect([...sectionsIn('## 5. Servers\n## smtp\n### no')]).toEqual(['5', 'smtp']);
    expect(citedIn('/**\n * As (behaviour 3.1,\n * 3.2 and 4; attacks T19, T28) says.\n */')).toEqual([
      'behaviour 3.1',
      'behaviour 3.2',
      'behaviour 4',
      'T19',
      'T28',
    ]);
    expect(citedIn('// As (panel contract, sections 1 and 5; services, smtp) says.\nf(services, output);')).toEqual([
      'panel contract 1',
      'panel contract 5',
      'services smtp',
    ]);
    expect(citedIn('(specification, S9.2) (specification, section 6)')).toEqual(['specification 6', 'S9.2']);
    expect(namedIn("test('T13 S2.1 Screen 7 a user is paid', () => {}); test.each([1])('E6 %p', f)")).toEqual([
      'T13',
      'S2.1',
      'Screen 7',
      'E6',
    ]);
  });

  test('every number that code, comments or documents cite is there', () => {
    const unknown = SOURCES.flatMap(({ path, text }) =>
      citedIn(text)
        .filter((id) => !KNOWN.has(id))
        .map((id) => `${path}: ${id}`),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });

  test('every number that a test is named after is there', () => {
    const unknown = TESTS.flatMap(({ path, text }) =>
      namedIn(text)
        .filter((id) => !KNOWN.has(id))
        .map((id) => `${path}: ${id}`),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });

  test('every rule is cited by a test or marked as background', () => {
    const shown = new Set(TESTS.flatMap(({ text }) => [...citedIn(text), ...namedIn(text)]));
    expect(RULES.filter(({ id, background }) => !background && !shown.has(id)).map(({ id }) => id)).toEqual([]);
  });

  test('no rule stands twice, and none is marked as background that a test is named after', () => {
    const ids = RULES.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(140);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    const named = new Set(TESTS.flatMap(({ text }) => namedIn(text)));
    expect(RULES.filter(({ id, background }) => background && named.has(id)).map(({ id }) => id)).toEqual([]);
  });

  test('every decision that code, comments or documents cite is there, and no two of a folder have one number', () => {
    const paths = filesOf('{client,server,shared}/decisions/*.md').map(({ path }) => path);
    const numbers = paths.map((path) => `${dirname(path)} ${basename(path).slice(0, 3)}`);
    expect(numbers.filter((each, at) => numbers.indexOf(each) !== at)).toEqual([]);
    const known = new Set(numbers.map((each) => each.slice(-3)));
    expect(decisionsCitedIn('As decisions 029 and 077 say (decision 036), and\n * decision\n * 041.')).toEqual([
      '029',
      '077',
      '036',
      '041',
    ]);
    const unknown = [...SOURCES, ...filesOf('README.md')].flatMap(({ path, text }) =>
      decisionsCitedIn(text)
        .filter((number) => !known.has(number))
        .map((number) => `${path}: ${number}`),
    );
    expect(unknown).toEqual([]);
  });

  test('every file that a document links to is there', () => {
    const lost = filesOf('README.md', '{client,server,shared}/**/*.md').flatMap(({ path, text }) =>
      [...text.matchAll(/\]\(([^)\s#]+)/g)]
        .map(([, link = '']) => link)
        .filter(
          (link) => !/^(?:[a-z]+:|\/)/.test(link) && !existsSync(join(import.meta.dir, '../..', dirname(path), link)),
        )
        .map((link) => `${path}: ${link}`),
    );
    expect(lost).toEqual([]);
  });

  test('comments name nothing outside the repository', () => {
    const outside = /\((?:contract, section|services\/\w)|\bdesign\/\w+\.md|\breview\/\w+\.md|\bspec\/\w+\.md/;
    expect(SOURCES.filter(({ text }) => outside.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
