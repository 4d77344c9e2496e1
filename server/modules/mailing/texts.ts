import { DEFAULT_LOCALE, type Locale } from '#shared/i18n/locales.ts';

/** The texts of a language: namespace `mail`, at most two deep. */
export type MailTexts = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** A text of a language by its path, else the English one; '' where there is none. */
export function findText(
  texts: (locale: Locale) => MailTexts,
  locale: Locale,
  path: readonly [string, string?],
): string {
  const [first, second] = path;
  for (const each of [locale, DEFAULT_LOCALE]) {
    const all = texts(each);
    const found: unknown = Object.hasOwn(all, first) ? all[first] : undefined;
    const text: unknown =
      second === undefined
        ? found
        : Object(found) === found
          ? Object.getOwnPropertyDescriptor(found, second)?.value
          : undefined;
    if (typeof text === 'string') return text;
  }
  return '';
}
