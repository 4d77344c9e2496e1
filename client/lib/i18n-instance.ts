import { createInstance } from 'i18next';
import type { FormatterModule, i18n, Resource } from 'i18next';
import { LOCALE_INFO, LOCALES } from '#shared/i18n/locales.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import type { Namespace } from '#shared/i18n/namespaces.ts';

/** The texts of some namespaces, as parsed from their JSON files. */
export type NamespaceTexts = Readonly<Partial<Record<Namespace, object>>>;
/** Texts by language. */
export type LocaleTexts = Partial<Record<Locale, NamespaceTexts>>;

const numbers = new Map<string, Intl.NumberFormat>();

/** Formats numbers in `{{braces}}` in the language: `1,284`, `1.284`. In: i18next's language tag and a value. */
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
 * Creates an i18next instance for one language, with `en` as the fallback. The server keeps one per language, the
 * browser has one.
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
    // Others are known once their texts are there.
    ns: ['ui'],
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

/** Whether the texts of a namespace are there in a language. */
export const hasTexts = (instance: i18n, locale: Locale, ns: Namespace): boolean =>
  instance.hasResourceBundle(LOCALE_INFO[locale].lang, ns);

/** Adds texts that were loaded later. Translators created before are stale then; call `createTranslator` again. */
export function addTexts(instance: i18n, locale: Locale, texts: NamespaceTexts): void {
  for (const [ns, own] of Object.entries(texts)) {
    // Not merged deeply: i18next would write into the object it was given, which other instances share.
    instance.addResourceBundle(LOCALE_INFO[locale].lang, ns, own, false, true);
  }
}
