import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import { formatMoney } from '#shared/money.ts';
import { useLocale } from './i18n.tsx';

/** Writes money in the reader's language: minor units and a currency in, `€5.00` or `5,00 €` out. */
export function useMoney(): (minor: number, currency: string) => string {
  const tag = LOCALE_INFO[useLocale()].bcp47;
  return (minor, currency) => formatMoney({ minor, currency }, tag);
}
