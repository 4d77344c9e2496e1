import { createI18n, type LocaleTexts } from '#client/lib/i18n-instance.ts';
import { createTranslator, type Translator } from '#client/lib/i18n.tsx';
import { DEFAULT_LOCALE, LOCALES, toLocale, type Locale } from '#shared/i18n/locales.ts';
import { LOCALE_COOKIE } from '#shared/constants.ts';
import { readCookie } from '#server/http/cookies.ts';

export interface ServerTexts {
  translator(locale: Locale): Translator;
  /** What a page says where its application does not start. */
  startTexts(locale: Locale): Readonly<Record<string, string>>;
}

/** One translator a language for the life of the process (stack notes, section 6). In: all texts. */
export function createServerTexts(all: LocaleTexts): ServerTexts {
  const translators = new Map(
    LOCALES.map((locale) => [
      locale,
      createTranslator(createI18n(locale, { en: all.en ?? {}, [locale]: all[locale] ?? {} }), locale),
    ]),
  );
  return {
    translator: (locale) => translators.get(locale) ?? (translators.get(DEFAULT_LOCALE) as Translator),
    startTexts: (locale) => (all[locale]?.startup ?? all.en?.startup ?? {}) as Readonly<Record<string, string>>,
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
