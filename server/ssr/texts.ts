import { createI18n, type LocaleTexts, type NamespaceTexts } from '#client/lib/i18n-instance.ts';
import { createTranslator, type Translator } from '#client/lib/i18n.tsx';
import { DEFAULT_LOCALE, LOCALES, toLocale, type Locale } from '#shared/i18n/locales.ts';
import type { Namespace } from '#shared/i18n/namespaces.ts';
import { LOCALE_COOKIE } from '#shared/constants.ts';
import { readCookie } from '#server/http/cookies.ts';

export interface ServerTexts {
  translator(locale: Locale): Translator;
  /** The texts of some namespaces, for the boot data. */
  pick(locale: Locale, namespaces: readonly Namespace[]): NamespaceTexts;
}

/** One translator a language for the life of the process (stack notes, section 6). In: all texts. */
export function createServerTexts(all: LocaleTexts): ServerTexts {
  const translators = new Map(
    LOCALES.map((locale) => [locale, createTranslator(createI18n(locale, { en: all.en ?? {}, [locale]: all[locale] ?? {} }), locale)]),
  );
  return {
    translator: (locale) => translators.get(locale) ?? (translators.get(DEFAULT_LOCALE) as Translator),
    pick: (locale, namespaces) => Object.fromEntries(namespaces.map((ns) => [ns, all[locale]?.[ns] ?? all.en?.[ns] ?? {}])),
  };
}

/** The visitor's language: the cookie, then the first language of Accept-Language that we have, then English. */
export function chooseLocale(cookie: string | null, acceptLanguage: string | null): Locale {
  const chosen = readCookie(cookie, LOCALE_COOKIE);
  if (chosen) return toLocale(chosen);
  for (const part of (acceptLanguage ?? '').slice(0, 200).split(',')) {
    const tag = part.split(';')[0]?.trim().toLowerCase() ?? '';
    const locale = toLocale(tag);
    if (locale !== DEFAULT_LOCALE || tag.startsWith('en')) return locale;
  }
  return DEFAULT_LOCALE;
}
