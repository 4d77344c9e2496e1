import { LOCALE_INFO, type Locale } from '#shared/i18n/locales.ts';
import type { MailBlock, MailContent } from '#shared/mails.ts';
import { renderLayout, renderText, type MailParts } from './layout.ts';
import type { Moment } from './ports.ts';
import { findText, type MailTexts } from './texts.ts';

/** Around the line above which an answer is written: it is found again by them, in whatever language it is. */
export const ANSWER_LINE = ['##-', '-##'] as const;

type Variables = Readonly<Record<string, string | number | Moment>>;

export interface RenderInput {
  readonly content: MailContent;
  readonly locale: Locale;
  readonly vars: Variables;
  /** Name of the installation. */
  readonly app: string;
  readonly timeZone: string;
  /** Public address without a slash at the end, which `vars.path` is appended to if it is no address of its own. */
  readonly appUrl: string;
  /** Where the host gives help, as one line; absent or empty: not mentioned. */
  readonly support?: string;
  /** Where its receiver says that they want no more of the kind; absent: it cannot be turned off. */
  readonly unsubscribe?: string | undefined;
  /** Path of the page on which its receiver chooses whether such mails come; absent: they come in any case. */
  readonly choices?: string | undefined;
  /** Answers to it come in: a line says above what they are written. */
  readonly takesAnswers?: boolean;
}
interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Renders an e-mail in the receiver's language, as text and as HTML. Only named variables are inserted, once: what a
 * value holds in braces is text (attacks T47); in HTML values are escaped, in the subject line breaks and controls
 * become spaces.
 */
export function renderMail(texts: (locale: Locale) => MailTexts, mail: RenderInput): RenderedMail {
  const { content, locale, vars, app, appUrl } = mail;
  const words = formatVariables(mail, texts);
  if (mail.support) words.set('support', mail.support);
  const common = (name: string) => interpolate(findText(texts, locale, [name]), words);
  const subject = toSingleLine(interpolate(content.subject, words));
  const parts: MailParts = {
    lang: LOCALE_INFO[locale].lang,
    subject,
    app,
    blocks: content.blocks.map((block) => fillBlock(block, words)),
    url:
      typeof vars.path === 'string' && vars.path.startsWith('https://')
        ? vars.path
        : `${appUrl}${typeof vars.path === 'string' ? vars.path : '/'}`,
    fallback: common('fallback'),
    footer: [common('footer'), ...(mail.support ? [common('help')] : [])].join('\n'),
    answerLine: mail.takesAnswers ? ANSWER_LINE.join(` ${common('answerAbove')} `) : '',
    leave: leaveOf(mail, common),
    home: appUrl,
  };
  return { subject, text: renderText(parts), html: renderLayout(parts) };
}

/** The way to fewer mails like this one. */
function leaveOf({ unsubscribe, choices, appUrl }: RenderInput, common: (name: string) => string): MailParts['leave'] {
  if (unsubscribe !== undefined) return { label: common('unsubscribe'), url: unsubscribe };
  return choices === undefined ? null : { label: common('choose'), url: appUrl + choices };
}

/** A block with its variables filled in. Only in a text may a value bring lines of its own. */
function fillBlock({ kind, text }: MailBlock, words: ReadonlyMap<string, string>): MailBlock {
  if (kind === 'text' || kind === 'note') return { kind, text: interpolate(text, words) };
  const flat = new Map([...words].map(([name, value]) => [name, value.replaceAll(/\s*\n\s*/g, ' ')]));
  return { kind, text: interpolate(text, flat) };
}

/** The variables as words of the language: numbers and moments written out, amounts of credits and days with their unit. */
function formatVariables(
  { vars, locale, app, timeZone }: RenderInput,
  texts: (locale: Locale) => MailTexts,
): Map<string, string> {
  const tag = LOCALE_INFO[locale].bcp47;
  const words = new Map<string, string>([['app', app]]);
  for (const [name, value] of Object.entries(vars)) {
    if (typeof value === 'string') words.set(name, value);
    else if (typeof value === 'number') words.set(name, formatNumber(name, value));
    else
      words.set(
        name,
        new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(value.at),
      );
  }
  return words;

  function formatNumber(name: string, value: number): string {
    if (name === 'days')
      return new Intl.NumberFormat(tag, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(value);
    return name === 'credits' ? formatCredits(texts, locale, value) : new Intl.NumberFormat(tag).format(value);
  }
}

/** An amount of credits with its unit. */
export function formatCredits(texts: (locale: Locale) => MailTexts, locale: Locale, value: number): string {
  const amount = new Intl.NumberFormat(LOCALE_INFO[locale].bcp47).format(value);
  const form = new Intl.PluralRules(LOCALE_INFO[locale].lang).select(value);
  const text = findText(texts, locale, [`credits_${form}`]) || findText(texts, locale, ['credits_other']);
  return text === '' ? amount : interpolate(text, new Map([['amount', amount]]));
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
