import { DEFAULT_LOCALE, LOCALE_INFO, type Locale } from '#shared/i18n/locales.ts';
import { renderLayout } from './layout.ts';
import type { MailTemplate, Moment } from './ports.ts';

/** The texts of a language: namespace `mail`, at most two deep. */
export type MailTexts = Readonly<Record<string, string | Readonly<Record<string, string>>>>;
type Variables = Readonly<Record<string, string | number | Moment>>;

export interface RenderInput {
  readonly template: MailTemplate;
  readonly locale: Locale;
  readonly vars: Variables;
  /** Name of the installation. */
  readonly app: string;
  readonly timeZone: string;
  /** Public address without a slash at the end; `vars.path` is appended to it. */
  readonly appUrl: string;
}
interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Renders an e-mail in the receiver's language, as text and as HTML. Missing texts are taken from English. Only named
 * variables are inserted (attacks T47); in HTML they are escaped, in the subject line breaks and controls become
 * spaces.
 */
export function renderMail(texts: (locale: Locale) => MailTexts, mail: RenderInput): RenderedMail {
  const words = formatVariables(mail, texts);
  const count = typeof mail.vars.count === 'number' ? mail.vars.count : null;
  const text = (name: string, inTemplate: boolean): string => {
    for (const locale of [mail.locale, DEFAULT_LOCALE]) {
      const own = inTemplate ? texts(locale)[mail.template] : texts(locale);
      const found = typeof own === 'object' ? findText(own, name, locale, count) : undefined;
      if (found !== undefined) return interpolate(found, words);
    }
    return '';
  };
  const subject = toSingleLine(text('subject', true));
  const body = text('body', true);
  const greeting = text('greeting', false);
  const button = text('button', true);
  const fallback = text('fallback', false);
  const footer = text('footer', false);
  const url = `${mail.appUrl}${typeof mail.vars.path === 'string' ? mail.vars.path : '/'}`;
  return {
    subject,
    text: [greeting, body, `${button}:\n${url}`, `--\n${footer}\n${mail.appUrl}`].join('\n\n'),
    html: renderLayout({
      lang: LOCALE_INFO[mail.locale].lang,
      subject,
      app: mail.app,
      greeting,
      body,
      button,
      url,
      fallback,
      footer,
      home: mail.appUrl,
    }),
  };
}

/** A text by name, or its plural form for the count. */
function findText(
  texts: Readonly<Record<string, unknown>>,
  name: string,
  locale: Locale,
  count: number | null,
): string | undefined {
  const names =
    count === null
      ? [name]
      : [`${name}_${new Intl.PluralRules(LOCALE_INFO[locale].lang).select(count)}`, `${name}_other`, name];
  for (const one of names) {
    const found = Object.hasOwn(texts, one) ? texts[one] : undefined;
    if (typeof found === 'string') return found;
  }
  return undefined;
}

/** The variables as words of the language: numbers and moments written out, an amount of credits with its unit. */
function formatVariables(
  { vars, locale, app, timeZone }: RenderInput,
  texts: (locale: Locale) => MailTexts,
): ReadonlyMap<string, string> {
  const tag = LOCALE_INFO[locale].bcp47;
  const words = new Map<string, string>([['app', app]]);
  for (const [name, value] of Object.entries(vars)) {
    if (typeof value === 'string') words.set(name, value);
    else if (typeof value === 'number') {
      const amount = new Intl.NumberFormat(tag).format(value);
      const credits = name === 'credits' ? findText(texts(locale), 'credits', locale, value) : undefined;
      words.set(name, credits === undefined ? amount : interpolate(credits, new Map([['amount', amount]])));
    } else
      words.set(
        name,
        new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(value.at),
      );
  }
  return words;
}

/** Replaces `{{name}}` once: braces inside a value stay as they are. */
function interpolate(text: string, words: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => words.get(name) ?? '');
}

function toSingleLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, 200);
}
