import { LOCALE_INFO, type Locale } from '#shared/i18n/locales.ts';
import type { NotificationFacts } from '#shared/notifications.ts';
import { formatCredits, findText, type MailTexts } from '../mailing/index.ts';

/** Texts of a language: those of mails, and the sentences of notifications under `notification`. */
export type SentenceTexts = (locale: Locale) => MailTexts;

interface Reader {
  readonly locale: Locale;
  /** IANA name. */
  readonly timeZone: string;
}

/**
 * What a notification says outside of the app: plain text of one line, in its reader's language. What somebody wrote
 * beside a gift stays out of it: mails and pushes of the installation carry no words of strangers.
 */
export function sentenceOf(
  texts: SentenceTexts,
  { kind, data }: { readonly kind: string; readonly data: NotificationFacts },
  { locale, timeZone }: Reader,
): string {
  const key = kind === 'giftReceivedNote' ? 'giftReceived' : kind;
  const text = findText(texts, locale, ['notification', key]) || findText(texts, locale, ['notification', 'other']);
  const tag = LOCALE_INFO[locale].bcp47;
  const filled = text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = data[name] ?? '';
    if (typeof value === 'number')
      return name === 'cost' ? formatCredits(texts, locale, value) : new Intl.NumberFormat(tag).format(value);
    if (/^\d{4}-\d{2}-\d{2}T/.test(value))
      return new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone }).format(Date.parse(value));
    return value;
  });
  return filled.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
}
