import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocaleTexts } from '#client/lib/i18n-instance.ts';
import { LOCALES } from '#shared/i18n/locales.ts';

/**
 * Reads every text from a folder of languages (`<folder>/<locale>/<namespace>.json`): the client's files, inside the
 * binary or beside it.
 */
export function loadTexts(folder: string): LocaleTexts {
  return Object.fromEntries(
    LOCALES.map((locale) => {
      const names = readdirSync(join(folder, locale), { recursive: true })
        .map((name) => String(name).replaceAll('\\', '/'))
        .filter((name) => name.endsWith('.json'));
      return [
        locale,
        Object.fromEntries(
          names.map((name) => [
            name.slice(0, -5),
            JSON.parse(readFileSync(join(folder, locale, name), 'utf8')) as object,
          ]),
        ),
      ];
    }),
  );
}
