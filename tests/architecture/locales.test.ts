import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, FIELD_CODES } from '#shared/errors.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { assembleTexts } from '#shared/i18n/area-texts.ts';
import { NAMESPACES } from '#shared/i18n/namespaces.ts';
import { RESOURCES } from '#shared/resources/index.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import {
  ALL_NAMESPACES,
  AREA_FILES,
  baseOf,
  flatten,
  formOf,
  formsOf,
  namesIn,
  tagsIn,
  textsOf,
} from '#tests/support/texts.ts';

const ROOT = join(import.meta.dir, '../..');

/** Words that may be the same in another language as in English: names, units, and what these languages share. */
const SHARED = new Set(
  `
  afk cpu csv vip id ok caddy nginx zoom mb gb fps hz px ms sm md lg xl min in
  action actions animation animations backup backups block code codes color community cookie cookies credit credits cube dashboard description details
  documentation egg eggs e-mail error general hosting image images menu menus message messages minimums minimum name no normal note notification
  notifications offline online optional page pages pedestal permission permissions port ports position roles server session sessions slot slots software start system
  transition transitions variable variables version zone panel types type status standard local cache admin
  app push browser build console route kb passkey passkeys
  ticket tickets support conversation status service priority urgent
  link links redis plugin plugins bot
  ctrl esc enter paypal stripe pdf discord github google openid connect scopes
  skin minute minutes sharex text uploads
  firewall website
  format installation
  sqlite postgresql
  minecraft vanilla paper purpur fabric velocity mindustry terraria factorio
  pterodactyl pelican panels nest nests nodes catalogue
  http webhook webhooks secret destination typescript python
`
    .split(/\s+/)
    .filter(Boolean),
);

/** What a text says beside its values and tags. */
const wordsOf = (text: string) =>
  text
    .replaceAll(/\{\{.*?\}\}|<[^>]+>/g, ' ')
    .toLowerCase()
    .match(/[\p{L}-]{2,}/gu) ?? [];

test('S7.6 every language has a file for every namespace, and no other', () => {
  for (const locale of LOCALES) {
    expect({
      locale,
      files: readdirSync(join(ROOT, 'locales', locale))
        .filter((name) => name !== 'areas')
        .sort(),
    }).toEqual({
      locale,
      files: NAMESPACES.map((ns) => `${ns}.json`).sort(),
    });
    expect({ locale, areas: readdirSync(join(ROOT, 'locales', locale, 'areas')).sort() }).toEqual({
      locale,
      areas: Object.keys(RESOURCES)
        .map((area) => `${area}.json`)
        .sort(),
    });
  }
});

test('what an area says on other pages stands in its own file alone', () => {
  for (const locale of LOCALES) {
    for (const ns of ['shell', 'admin', 'permissions']) {
      const file = JSON.parse(readFileSync(join(ROOT, 'locales', locale, `${ns}.json`), 'utf8')) as object;
      const before = flatten(file);
      const twice = AREA_FILES.flatMap((area) => {
        const own = JSON.parse(readFileSync(join(ROOT, 'locales', locale, 'areas', `${area}.json`), 'utf8')) as object;
        return Object.keys(flatten(assembleTexts({}, { [area]: own })[ns] ?? {})).filter((key) => key in before);
      });
      expect({ locale, ns, twice }).toEqual({ locale, ns, twice: [] });
    }
  }
});

describe.each(ALL_NAMESPACES.map((ns) => [ns]))('texts of %s', (ns) => {
  const english = textsOf('en', ns);
  const bases = [...new Set(Object.keys(english).map(baseOf))];

  describe.each(LOCALES.map((locale) => [locale]))('%s', (locale) => {
    const own = textsOf(locale, ns);

    test('the language has the same keys', () => {
      expect([...new Set(Object.keys(own).map(baseOf))].toSorted()).toEqual(bases.toSorted());
    });

    test('the language has every plural form that its numbers need, and none that they never take', () => {
      const forms = formsOf(locale);
      const strange = Object.keys(own).filter(
        (key) => formOf(key) !== null && formOf(key) !== 'zero' && !forms.includes(formOf(key) ?? ''),
      );
      expect(strange).toEqual([]);
      const plurals = [
        ...new Set(
          Object.keys(own)
            .filter((key) => formOf(key) !== null)
            .map(baseOf),
        ),
      ];
      expect(plurals.flatMap((base) => forms.map((form) => `${base}_${form}`)).filter((key) => !(key in own))).toEqual(
        [],
      );
      // A text with forms and without: which of them is shown would be chance.
      expect(plurals.filter((base) => base in own)).toEqual([]);
    });

    test('the language puts the same values and the same tags into its texts, and leaves none empty', () => {
      for (const [key, text] of Object.entries(own)) {
        // A form for one, or for none, may say it in words.
        const without = (names: string[]) => names.filter((name) => !(formOf(key) !== null && name === 'count'));
        const original = english[key] ?? english[`${baseOf(key)}_other`] ?? english[baseOf(key)] ?? '';
        expect({ key, names: without(namesIn(text)) }).toEqual({ key, names: without(namesIn(original)) });
        expect({ key, tags: tagsIn(text) }).toEqual({ key, tags: tagsIn(original) });
        expect({ key, empty: text.trim() === '' }).toEqual({ key, empty: false });
        // Braces that are not closed, or hold more than a name, would be shown as they are.
        expect({ key, braces: text.replaceAll(/\{\{\w+\}\}/g, '').match(/\{\{|\}\}/g) ?? [] }).toEqual({
          key,
          braces: [],
        });
      }
    });

    test('the language says nothing in English that it says in words of its own', () => {
      if (locale === 'en') return;
      const same = Object.entries(own).filter(
        ([key, text]) => english[key] === text && wordsOf(text).some((word) => !SHARED.has(word)),
      );
      expect(same).toEqual([]);
    });
  });
});

test('French keeps its spaces before punctuation from breaking', () => {
  const wrong = ALL_NAMESPACES.flatMap((ns) =>
    Object.entries(textsOf('fr', ns)).filter(([, text]) => / [?!:;»]|« /.test(text)),
  );
  expect(wrong).toEqual([]);
});

test('Romanian writes ș and ț with a comma below', () => {
  const wrong = (['ro', 'md'] as const).flatMap((locale) =>
    ALL_NAMESPACES.flatMap((ns) => Object.entries(textsOf(locale, ns)).filter(([, text]) => /[şţŞŢ]/.test(text))),
  );
  expect(wrong).toEqual([]);
});

describe('keys by convention', () => {
  test('every error code and field code has a text', () => {
    const errors = textsOf('en', 'errors');
    for (const code of Object.keys(ERRORS))
      expect({ code, text: errors[code] }).toEqual({ code, text: expect.any(String) });
    for (const code of FIELD_CODES)
      expect({ code, text: errors[`field.${code}`] }).toEqual({ code, text: expect.any(String) });
  });
  test('every route has a title, and every navigation group a name', () => {
    const shell = textsOf('en', 'shell');
    for (const row of ROUTE_LIST) {
      expect({ title: row.title, text: shell[row.title] }).toEqual({ title: row.title, text: expect.any(String) });
      if (row.nav) expect(shell[`nav.${row.nav.group}`]).toEqual(expect.any(String));
    }
  });
});
