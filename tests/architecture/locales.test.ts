import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { ERRORS, FIELD_CODES } from '#shared/errors.ts';
import { LOCALE_INFO, LOCALES, type Locale } from '#shared/i18n/locales.ts';
import { NAMESPACES } from '#shared/i18n/namespaces.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';

const ROOT = join(import.meta.dir, '../..');
const PLURAL = /_(zero|one|two|few|many|other)$/;

function flatten(value: unknown, prefix = ''): Record<string, string> {
  if (typeof value === 'string') return { [prefix]: value };
  return Object.assign({}, ...Object.entries(value as object).map(([key, inner]) => flatten(inner, prefix ? `${prefix}.${key}` : key))) as Record<string, string>;
}
const load = (locale: Locale, ns: string) => flatten(JSON.parse(readFileSync(join(ROOT, 'locales', locale, `${ns}.json`), 'utf8')));
const base = (key: string) => key.replace(PLURAL, '');
const names = (text: string) => [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((found) => found[1]).sort();
const tags = (text: string) => [...text.matchAll(/<\/?(\w+)\s*\/?>/g)].map((found) => found[0]).sort();

describe.each(NAMESPACES.map((ns) => [ns]))('texts of %s', (ns) => {
  const english = load('en', ns);
  const bases = new Set(Object.keys(english).map(base));

  test.each(LOCALES.filter((locale) => locale !== 'en').map((locale) => [locale]))('%s is complete and fits', (locale) => {
    const own = load(locale, ns);
    const ownBases = new Set(Object.keys(own).map(base));
    expect([...bases].filter((key) => !ownBases.has(key))).toEqual([]);
    expect([...ownBases].filter((key) => !bases.has(key))).toEqual([]);
    const forms = new Intl.PluralRules(LOCALE_INFO[locale].bcp47).resolvedOptions().pluralCategories;
    for (const [key, text] of Object.entries(own)) {
      const plural = PLURAL.test(key);
      const original = english[key] ?? english[`${base(key)}_other`] ?? '';
      // A form for exactly one may say it in words.
      const wanted = names(original).filter((name) => !(plural && name === 'count'));
      expect({ key, names: names(text).filter((name) => !(plural && name === 'count')) }).toEqual({ key, names: wanted });
      expect({ key, tags: tags(text) }).toEqual({ key, tags: tags(original) });
      expect({ key, empty: text.trim() === '' }).toEqual({ key, empty: (english[key] ?? 'x').trim() === '' });
      if (plural) {
        const missing = forms.filter((form) => form !== 'many' && !(`${base(key)}_${form}` in own));
        expect({ key, missing }).toEqual({ key, missing: [] });
      }
    }
  });
});

describe('keys by convention', () => {
  test('every error code and field code has a text', () => {
    const errors = load('en', 'errors');
    for (const code of Object.keys(ERRORS)) expect({ code, text: errors[code] }).toEqual({ code, text: expect.any(String) });
    for (const code of FIELD_CODES) expect({ code, text: errors[`field.${code}`] }).toEqual({ code, text: expect.any(String) });
  });
  test('every route has a title, every navigation group a name', () => {
    const shell = load('en', 'shell');
    for (const row of ROUTE_LIST) {
      expect({ title: row.title, text: shell[row.title] }).toEqual({ title: row.title, text: expect.any(String) });
      if (row.nav) expect(shell[`nav.${row.nav.group}`]).toEqual(expect.any(String));
    }
  });
});

test('no text stands in a component', () => {
  const wrong: string[] = [];
  for (const path of new Glob('client/**/*.tsx').scanSync(ROOT)) {
    if (path.endsWith('.test.tsx')) continue;
    const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    for (const found of text.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+[^<{}]*)</g)) wrong.push(`${path}: ${found[1]?.trim()}`);
    for (const found of text.matchAll(/\b(?:aria-label|title|placeholder|alt|label)="([A-Z][a-z]+ [^"]+)"/g)) wrong.push(`${path}: ${found[1]}`);
  }
  expect(wrong).toEqual([]);
});
