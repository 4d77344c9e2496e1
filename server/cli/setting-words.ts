import type { FieldCode } from '#shared/errors.ts';
import { minorDigits, formatMoney } from '#shared/money.ts';
import { LEAST_UNLESS_OFF } from '#shared/setting-gaps.ts';
import { formatSetting, notationOf } from '#shared/setting-text.ts';
import { isSecret, SETTINGS, type SettingKey, type SettingRow } from '#shared/settings.ts';

/** What the command line says of settings. It speaks English, as the log does. */
const number = new Intl.NumberFormat('en');
/** Texts that must be more than a text, in words. */
const FORMS: Partial<Record<SettingKey, string>> = {
  currency: 'an ISO 4217 currency code, such as EUR or RON',
  app_timezone: 'a time zone, such as Europe/Bucharest',
  app_lang: 'one of en, ro, fr, de, es, md',
  app_url: 'an address such as https://panel.example.com, with nothing behind the host and port',
  trusted_proxies: 'a list of addresses and networks, one a line, such as 203.0.113.7 or 10.0.0.0/8',
  force_2fa: 'nobody, staff or all',
  challenge: 'off, altcha or turnstile',
  mail_encryption: 'tls, starttls or none',
  mail_host: 'a host name or an address, without a port',
  mail_from_address: 'an e-mail address',
  ticket_mail_address: 'an e-mail address without a plus, with at most 28 characters before the @',
  ticket_mail_authserv: 'the name of a mail server',
  imap_encryption: 'tls, starttls or none',
  imap_host: 'a host name or an address, without a port',
  imap_folder: 'the name of a folder',
  virus_scanner: 'a host name or an address with its port, such as 127.0.0.1:3310',
};

/**
 * A value for people: `19 %`, `€1.00`, `500 credits`, `on`, `"text"`. In: the key, the value, the installation's
 * currency.
 */
function settingWords(key: SettingKey, value: string | number | boolean, currency: string): string {
  const row: SettingRow = SETTINGS[key];
  if (row.type !== 'number' || typeof value !== 'number')
    return typeof value === 'string' ? quoted(value) : formatSetting(key, value, currency);
  const as = notationOf(key);
  if (as === 'money') return formatMoney({ minor: value, currency }, 'en');
  if (as === 'percent') return `${formatSetting(key, value, currency)} %`;
  return row.unit === 'count' ? number.format(value) : `${number.format(value)} ${row.unit}`;
}

/** What stands after a change: from what to what; of a secret only that it was set. */
export function changedWords(
  key: SettingKey,
  before: string | number | boolean,
  after: string | number | boolean,
  currency: string,
): string {
  if (isSecret(key)) return after === '' ? `${key} cleared.` : `${key} set.`;
  const [from, to] = [settingWords(key, before, currency), settingWords(key, after, currency)];
  return from === to ? `${key} is ${to} already.` : `${key} set to ${to} (was ${from}).`;
}

/**
 * Why a value is refused, and what fits. In: the key, the code of the fault, the installation's currency. Never the
 * value of a secret.
 */
export function refusalWords(key: SettingKey, code: FieldCode | undefined, currency: string): string {
  const row: SettingRow = SETTINGS[key];
  if (code === 'NEEDS_MAIL') return `${key} needs a mail server: set mail_host or MAIL_HOST first.`;
  if (row.type === 'switch') return `${key} is either on or off.`;
  if (row.type === 'text') {
    if (code === 'TOO_LONG') return `${key} takes at most ${number.format(row.max)} characters.`;
    return FORMS[key] ? `${key} has to be ${FORMS[key]}.` : `${key} does not take that text.`;
  }
  const [min, max] = [settingWords(key, row.min, currency), settingWords(key, row.max, currency)];
  const as = notationOf(key);
  if (as === 'percent')
    return `${key} has to be a percentage from ${min} to ${max}, with at most two decimals: 19 or 8.1.`;
  if (as === 'money') return `${key} has to be an amount of money from ${min} to ${max}, such as ${example(currency)}.`;
  const least = LEAST_UNLESS_OFF[key];
  const off = least === undefined ? '' : '0, or ';
  return `${key} has to be ${off}a whole number from ${number.format(least ?? row.min)} to ${max}.`;
}

const example = (currency: string): string => (minorDigits(currency) === 0 ? '500' : '4.99');

/** A text on one line; a long one is only measured. */
function quoted(text: string): string {
  return text.length > 200 || text.includes('\n')
    ? `(${text.length} characters)`
    : text === ''
      ? '(empty)'
      : `"${text}"`;
}
