import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Glob } from 'bun';
import { LOCALES, isLocale, toLocale } from '#shared/i18n/locales.ts';
import { chooseLocale } from '#server/ssr/texts.ts';
import { ALL_NAMESPACES, namesIn, tagsIn, textsOf } from '#tests/support/texts.ts';
import { PSEUDO, pseudoLocale, pseudoText, pseudoTexts } from './pseudo-locale.ts';

const ROOT = join(import.meta.dir, '..');

describe('the pseudo language', () => {
  test('the pseudo language puts an accent on every character and is 40 % longer', () => {
    expect(pseudoText('Create server')).toBe('[Çŕéåţé šéŕṽéŕ~~~~]');
    for (const ns of ALL_NAMESPACES) {
      for (const [key, text] of Object.entries(textsOf('en', ns))) {
        const said = text.replaceAll(/\{\{\w+\}\}|<[^>]*>/g, '');
        const written = pseudoText(text).replaceAll(/\{\{\w+\}\}|<[^>]*>/g, '');
        expect({ key, plain: /[a-z]/i.test(written), long: written.length >= said.length * 1.4 }).toEqual({
          key,
          plain: false,
          long: true,
        });
      }
    }
  });

  test('the pseudo language keeps values and tags', () => {
    expect(pseudoText('Type <b>{{name}}</b> to confirm')).toBe('[Ţýþé <b>{{name}}</b> ţö çöñƒîŕɱ~~~~~]');
    for (const ns of ALL_NAMESPACES) {
      for (const text of Object.values(textsOf('en', ns)))
        expect([namesIn(pseudoText(text)), tagsIn(pseudoText(text))]).toEqual([namesIn(text), tagsIn(text)]);
    }
    expect(pseudoTexts({ a: 'x', b: { c_one: 'y' } })).toEqual({ a: '[ẋ]', b: { c_one: '[ý]' } });
  });
});

describe('production', () => {
  test('production does not know the pseudo language', () => {
    expect(LOCALES as readonly string[]).not.toContain(PSEUDO);
    expect([isLocale(PSEUDO), toLocale(PSEUDO), chooseLocale(`locale=${PSEUDO}`, 'ro')]).toEqual([false, 'en', 'en']);
  });

  test('production is built without it: nothing of the product names it, and the build takes no such plugin', async () => {
    const files = ['{client,server,shared}/**/*.{ts,tsx}', 'scripts/{build,client-build,client-plugins}.ts'].flatMap(
      (pattern) => [...new Glob(pattern).scanSync(ROOT)],
    );
    expect(files.length).toBeGreaterThan(300);
    const naming = await Promise.all(
      files.map(async (path) =>
        /pseudo-(locale|preload)|['"`]pseudo['"`]/.test(await Bun.file(join(ROOT, path)).text()) ? path : null,
      ),
    );
    expect(naming.filter((path) => path !== null)).toEqual([]);
  });

  test('only what is built with the plugin has it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-pseudo-'));
    try {
      const built = async (plugins: [] | [typeof pseudoLocale]) => {
        const { outputs } = await Bun.build({
          entrypoints: [join(ROOT, 'shared/i18n/locales.ts')],
          outdir: join(folder, String(plugins.length)),
          plugins,
        });
        return (await import(outputs[0]?.path ?? '')) as {
          LOCALES: readonly string[];
          toLocale: (name: string) => string;
        };
      };
      const [plain, dev] = await Promise.all([built([]), built([pseudoLocale])]);
      expect([plain.LOCALES, plain.toLocale(PSEUDO)]).toEqual([[...LOCALES], 'en']);
      expect([dev.LOCALES, dev.toLocale(PSEUDO)]).toEqual([[...LOCALES, PSEUDO], PSEUDO]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
