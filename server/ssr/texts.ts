import { createI18n, type NamespaceTexts } from '#client/lib/i18n-instance.ts';
import { createTranslator, type Translator } from '#client/lib/i18n.tsx';
import { DEFAULT_LOCALE, toLocale, type Locale } from '#shared/i18n/locales.ts';
import { LOCALE_COOKIE } from '#shared/constants.ts';
import { readCookie } from '#server/http/cookies.ts';

export interface ServerTexts {
  translator(locale: Locale): Translator;
  /** What a page says where its application does not start. */
  startTexts(locale: Locale): Readonly<Record<string, string>>;
}

/**
 * One translator a language for the life of the process (stack notes, section 6). In: what reads the texts of a
 * language, called when somebody first reads it: few hosts have visitors of all six, and each costs 3 ms and 2 MB.
 */
export function createServerTexts(read: (locale: Locale) => NamespaceTexts): ServerTexts {
  const all = new Map<Locale, NamespaceTexts>();
  const translators = new Map<Locale, Translator>();
  const textsOf = (locale: Locale) => all.getOrInsertComputed(locale, read);
  return {
    translator: (locale) =>
      translators.getOrInsertComputed(locale, () =>
        createTranslator(
          createI18n(locale, { [DEFAULT_LOCALE]: textsOf(DEFAULT_LOCALE), [locale]: textsOf(locale) }),
          locale,
        ),
      ),
    startTexts: (locale) =>
      (textsOf(locale).startup ?? textsOf(DEFAULT_LOCALE).startup ?? {}) as Readonly<Record<string, string>>,
  };
}

/** The visitor's language: the cookie, then the first language of Accept-Language that we have, then English. */
export function chooseLocale(cookie: string | null, acceptLanguage: string | null): Locale {
  const chosen = readCookie(cookie, LOCALE_COOKIE);
  if (chosen) return toLocale(chosen);
  return acceptLanguage ? firstLanguage(acceptLanguage.slice(0, 200)) : DEFAULT_LOCALE;
}

function firstLanguage(list: string): Locale {
  for (const part of list.split(',')) {
    const tag = part.split(';')[0]?.trim().toLowerCase() ?? '';
    const locale = toLocale(tag);
    if (locale !== DEFAULT_LOCALE || tag.startsWith('en')) return locale;
  }
  return DEFAULT_LOCALE;
}
