import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocaleTexts, NamespaceTexts } from '#client/lib/i18n-instance.ts';
import { LOCALES } from '#shared/i18n/locales.ts';

/**
 * Reads every text from a folder of languages (`<folder>/<locale>/<file>.json`, each of some namespaces): the client's
 * files, inside the binary or beside it.
 */
export function loadTexts(folder: string): LocaleTexts {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as NamespaceTexts;
  return Object.fromEntries(
    LOCALES.map((locale) => {
      const files = readdirSync(join(folder, locale)).filter((name) => name.endsWith('.json'));
      return [locale, Object.assign({}, ...files.map((name) => read(join(folder, locale, name)))) as NamespaceTexts];
    }),
  );
}
