import { describe, expect, test } from 'bun:test';
import { parseSource, readSources } from '#tests/support/sources.ts';
import { conventions } from '#tests/support/text-conventions.ts';
import { ALL_NAMESPACES, baseOf, literalTexts, textsOf, wordsIn } from '#tests/support/texts.ts';

const sources = readSources(['client/**/*.{ts,tsx}', 'server/**/*.{ts,tsx}', 'shared/**/*.ts']);
const keysOf = (ns: string) => [...new Set(Object.keys(textsOf('en', ns)).map(baseOf))];

/** Texts that are the same for everybody: what is typed into a terminal. */
const NOT_WORDS = new Set(['spawnpoint user create --role owner']);

describe('texts are used', () => {
  const known = conventions(sources);
  const words = sources.map(({ tree }) => wordsIn(tree));

  test.each(ALL_NAMESPACES.map((ns) => [ns]))('every one of %s is asked for somewhere', (ns) => {
    const here = words.filter(({ namespaces }) => namespaces.has(ns));
    const asked = (key: string) =>
      here.some(({ strings, templates }) => strings.has(key) || templates.some((template) => template.test(key))) ||
      known.some((each) => each.ns === ns && each.keys.test(key));
    expect(keysOf(ns).filter((key) => !asked(key))).toEqual([]);
  });

  test('every convention finds texts', () => {
    expect(
      known.filter(({ ns, keys }) => !keysOf(ns).some((key) => keys.test(key))).map(({ ns, what }) => `${ns}: ${what}`),
    ).toEqual([]);
  });
});

describe('no text stands in the code', () => {
  test('no component has a text of its own: not between tags, not in attributes that are read or heard', () => {
    const found = sources
      .filter(({ path }) => path.endsWith('.tsx'))
      .flatMap(({ path, tree }) => literalTexts(tree).map(({ line, text }) => ({ at: `${path}:${line}`, text })));
    expect(found.filter(({ text }) => !NOT_WORDS.has(text))).toEqual([]);
  });

  test.each([
    ['between tags', '<p>Hello there</p>', ['Hello there']],
    ['in an expression', "<p>{'Hello'}</p>", ['Hello']],
    ['chosen', "<p>{on ? 'Yes' : off && 'No'}</p>", ['Yes', 'No']],
    ['in a template', '<p>{`${n} servers`}</p>', ['servers']],
    ['in an attribute that is heard', '<button aria-label="Close it" />', ['Close it']],
    ['in an attribute with an expression', "<Card title={open ? 'Open' : t('closed')} />", ['Open']],
    [
      'as the source of a class, which is none',
      '<p className="sp-muted" data-x="Hello there">{t("hello")} · {n}</p>',
      [],
    ],
  ])('the check sees a text %s', (_, source, expected) => {
    expect(literalTexts(parseSource(source, true)).map(({ text }) => text)).toEqual(expected);
  });
});
