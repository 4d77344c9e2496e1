import { createI18n, type LocaleTexts, type NamespaceTexts } from '#client/lib/i18n-instance.ts';
import { createTranslator, type Translator } from '#client/lib/i18n.tsx';
import { DEFAULT_LOCALE, LOCALES, toLocale, type Locale } from '#shared/i18n/locales.ts';
import type { Namespace } from '#shared/i18n/namespaces.ts';
import { LOCALE_COOKIE } from '#shared/constants.ts';
import { readCookie } from '#server/http/cookies.ts';
import { scriptJson } from './deferred.ts';

export interface ServerTexts {
  translator(locale: Locale): Translator;
  /** The texts of some namespaces, for the boot data. */
  pick(locale: Locale, namespaces: readonly Namespace[]): NamespaceTexts;
  /** The same as JSON that may stand in a script element; made once for each choice of namespaces. */
  json(locale: Locale, namespaces: readonly Namespace[]): string;
}

/** One translator a language for the life of the process (stack notes, section 6). In: all texts. */
export function createServerTexts(all: LocaleTexts): ServerTexts {
  const translators = new Map(
    LOCALES.map((locale) => [
      locale,
      createTranslator(createI18n(locale, { en: all.en ?? {}, [locale]: all[locale] ?? {} }), locale),
    ]),
  );
  const pick = (locale: Locale, namespaces: readonly Namespace[]) =>
    Object.fromEntries(namespaces.map((ns) => [ns, all[locale]?.[ns] ?? all.en?.[ns] ?? {}]));
  const written = new Map<string, string>();
  return {
    translator: (locale) => translators.get(locale) ?? (translators.get(DEFAULT_LOCALE) as Translator),
    pick,
    json: (locale, namespaces) => {
      const key = `${locale} ${namespaces.join(' ')}`;
      let text = written.get(key);
      if (text === undefined) written.set(key, (text = scriptJson(pick(locale, namespaces))));
      return text;
    },
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
