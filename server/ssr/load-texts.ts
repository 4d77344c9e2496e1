import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NamespaceTexts } from '#client/lib/i18n-instance.ts';
import type { Locale } from '#shared/i18n/locales.ts';

/**
 * Reads the texts of a language from a folder of languages (`<folder>/<locale>/<file>.json`, each of some namespaces):
 * the client's files, inside the binary or beside it.
 */
export function loadTexts(folder: string, locale: Locale): NamespaceTexts {
  const names = readdirSync(join(folder, locale)).filter((name) => name.endsWith('.json'));
  const files = names.map((name) => JSON.parse(readFileSync(join(folder, locale, name), 'utf8')) as NamespaceTexts);
  return Object.assign({}, ...files) as NamespaceTexts;
}
