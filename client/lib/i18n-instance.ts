import { createInstance } from 'i18next';
import type { FormatterModule, i18n, Resource } from 'i18next';
import { LOCALE_INFO, LOCALES } from '#shared/i18n/locales.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { NAMESPACES } from '#shared/i18n/namespaces.ts';
import type { Namespace } from '#shared/i18n/namespaces.ts';

/** The texts of some namespaces, as parsed from their JSON files. */
export type NamespaceTexts = Readonly<Partial<Record<Namespace, object>>>;
/** Texts by language. */
export type LocaleTexts = Partial<Record<Locale, NamespaceTexts>>;

const numbers = new Map<string, Intl.NumberFormat>();

/** Numbers in `{{braces}}` are written as the language writes them: `1,284`, `1.284`. In: a tag of i18next and a value. */
function formatNumber(lang: string | undefined, value: unknown): string {
  if (typeof value !== 'number') return String(value);
  const tag = Object.values(LOCALE_INFO).find((info) => info.lang === lang)?.bcp47 ?? LOCALE_INFO.en.bcp47;
  let format = numbers.get(tag);
  if (!format) numbers.set(tag, (format = new Intl.NumberFormat(tag, { useGrouping: true })));
  return format.format(value);
}

const numberFormatter: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value, _, lang) => formatNumber(lang, value),
};

/**
 * Makes an i18next instance for one language (`en` stands in for what is missing). On the server: one per language for
 * the life of the process; in the browser: one.
 */
export function createI18n(locale: Locale, texts: LocaleTexts): i18n {
  const instance = createInstance().use(numberFormatter);
  const resources: Resource = {};
  for (const each of LOCALES) {
    const own = texts[each];
    if (own) resources[LOCALE_INFO[each].lang] = { ...(own as Record<string, object>) };
  }
  void instance.init({
    lng: LOCALE_INFO[locale].lang,
    fallbackLng: LOCALE_INFO.en.lang,
    ns: [...NAMESPACES],
    defaultNS: 'ui',
    resources,
    partialBundledLanguages: true,
    initAsync: false,
    // React escapes what it renders; mails escape in their own templates.
    interpolation: { escapeValue: false, alwaysFormat: true },
    returnNull: false,
  });
  return instance;
}

/** Adds texts that were loaded later. Translators made before are stale afterwards; ask `createTranslator` again. */
export function addTexts(instance: i18n, locale: Locale, texts: NamespaceTexts): void {
  for (const [ns, own] of Object.entries(texts)) {
    // Not merged deeply: i18next would write into the object it was given, which other instances share.
    instance.addResourceBundle(LOCALE_INFO[locale].lang, ns, own, false, true);
  }
}
