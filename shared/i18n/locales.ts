/** The six languages of the product (specification, S9.2); the order is the order of the language switch. */
export const LOCALES = ['en', 'ro', 'fr', 'de', 'es', 'md'] as const;

/** A language of the product, as it stands in the cookie, the settings and the folder of its texts. */
export type Locale = (typeof LOCALES)[number];

/** Default and fallback language. */
export const DEFAULT_LOCALE: Locale = 'en';

/** What is known of a language. */
interface LocaleInfo {
  /** Its own name, never translated. */
  readonly name: string;
  /** The tag for `Intl`: dates, numbers, sorting. */
  readonly bcp47: string;
  /** The tag for `<html lang>` and for i18next. `md` is written `ro-MD`, which gives it Romanian plurals. */
  readonly lang: string;
}

/** Name and tags of every language. English uses day-month dates and a 24-hour clock, as the product is European. */
export const LOCALE_INFO: Readonly<Record<Locale, LocaleInfo>> = {
  en: { name: 'English', bcp47: 'en-GB', lang: 'en' },
  ro: { name: 'Română', bcp47: 'ro-RO', lang: 'ro' },
  fr: { name: 'Français', bcp47: 'fr-FR', lang: 'fr' },
  de: { name: 'Deutsch', bcp47: 'de-DE', lang: 'de' },
  es: { name: 'Español', bcp47: 'es-ES', lang: 'es' },
  md: { name: 'Română (Moldova)', bcp47: 'ro-MD', lang: 'ro-MD' },
};

/** Is this value one of the six languages? */
export function isLocale(value: unknown): value is Locale {
  return typeof value === 'string' && (LOCALES as readonly string[]).includes(value);
}

/** The language for any input: itself when known (any case, `ro-MD` counts as `md`), otherwise English. */
export function toLocale(value: string | null | undefined): Locale {
  const wanted = (value ?? '').trim().toLowerCase();
  if (wanted === 'ro-md' || wanted.startsWith('md')) return 'md';
  const base = wanted.split('-')[0];
  return isLocale(base) ? base : DEFAULT_LOCALE;
}
