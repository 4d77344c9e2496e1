import de from '#locales/de/payments.json' with { type: 'json' };
import deUi from '#locales/de/ui.json' with { type: 'json' };
import en from '#locales/en/payments.json' with { type: 'json' };
import enUi from '#locales/en/ui.json' with { type: 'json' };
import es from '#locales/es/payments.json' with { type: 'json' };
import esUi from '#locales/es/ui.json' with { type: 'json' };
import fr from '#locales/fr/payments.json' with { type: 'json' };
import frUi from '#locales/fr/ui.json' with { type: 'json' };
import md from '#locales/md/payments.json' with { type: 'json' };
import mdUi from '#locales/md/ui.json' with { type: 'json' };
import ro from '#locales/ro/payments.json' with { type: 'json' };
import roUi from '#locales/ro/ui.json' with { type: 'json' };
import { LOCALE_INFO, type Locale } from '#shared/i18n/locales.ts';

type Texts = typeof en;
type Ui = Readonly<Record<string, unknown>>;

const TEXTS: Readonly<Record<Locale, readonly [Texts, Ui]>> = {
  en: [en, enUi],
  ro: [ro, roUi],
  fr: [fr, frUi],
  de: [de, deUi],
  es: [es, esUi],
  md: [md, mdUi],
};

/** The words of a receipt in a language: those of the page, so that both say the same. */
export interface ReceiptWords {
  readonly texts: Texts;
  readonly tag: string;
  /** `1,284 credits` */
  credits(amount: number): string;
  /** Puts values in the places of their names. */
  fill(text: string, values: Readonly<Record<string, string>>): string;
}

/** The words of a language. */
export function receiptWords(locale: Locale): ReceiptWords {
  const [texts, ui] = TEXTS[locale];
  const { bcp47: tag, lang } = LOCALE_INFO[locale];
  const fill: ReceiptWords['fill'] = (text, values) =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
  const plural = new Intl.PluralRules(lang);
  return {
    texts,
    tag,
    fill,
    credits: (amount) =>
      fill(String(ui[`credits_${plural.select(amount)}`] ?? ui.credits_other), {
        amount: new Intl.NumberFormat(tag).format(amount),
      }),
  };
}
