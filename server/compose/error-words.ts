import de from '#locales/de/errors.json' with { type: 'json' };
import en from '#locales/en/errors.json' with { type: 'json' };
import es from '#locales/es/errors.json' with { type: 'json' };
import fr from '#locales/fr/errors.json' with { type: 'json' };
import md from '#locales/md/errors.json' with { type: 'json' };
import ro from '#locales/ro/errors.json' with { type: 'json' };
import type { ErrorCode } from '#shared/errors.ts';
import type { Locale } from '#shared/i18n/locales.ts';

const ALL: Readonly<Record<Locale, Readonly<Partial<Record<ErrorCode, string>>>>> = { en, ro, fr, de, es, md };

/** What an error code says in words, for programs that show an answer as it is. */
export function errorWords(locale: Locale, code: ErrorCode): string {
  return ALL[locale][code] ?? ALL[locale].SERVER_ERROR ?? code;
}
