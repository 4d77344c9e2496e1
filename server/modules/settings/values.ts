import type { FieldCode } from '#shared/errors.ts';
import { isHexColour } from '#shared/hex-colour.ts';
import { isCurrency } from '#shared/currencies.ts';
import { isPictureId } from '#shared/picture-url.ts';
import { email } from '#shared/schemas/account.ts';
import { isModulePath, pluginModules, SETTINGS, type SettingKey, type SettingValues } from '#shared/settings.ts';
import { isProxy, proxiesIn } from '#shared/trusted-proxies.ts';
import { FEED_KEY } from '#shared/updates.ts';
import { isTimeZone } from '#shared/zoned.ts';
import { LINK_RULES } from './link-rules.ts';

/** Control characters and halves of characters; a long text may have tabs and line breaks. */
const NO_LINE = /[\p{Cc}\p{Cs}]/u;
const NO_LONG_TEXT = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

/** Settings whose text must be more than a text. */
const RULES: Partial<Record<SettingKey, (text: string) => boolean>> = {
  app_timezone: isTimeZone,
  app_url: (text) => text === '' || (/^https?:\/\/[^\s/\\?#@]+\/?$/i.test(text) && URL.canParse(text)),
  trusted_proxies: (text) => proxiesIn(text).every(isProxy),
  stripe_api_url: (text) => isBase(text),
  paypal_api_url: (text) => isBase(text),
  update_feed_url: (text) => text === '' || isWebAddress(text),
  update_feed_key: (text) => text === '' || FEED_KEY.test(text),
  support_url: (text) => text === '' || isWebAddress(text),
  support_email: (text) => text === '' || email.safeParse(text).success,
  currency: isCurrency,
  discord_client_id: (text) => text === '' || /^\d{15,20}$/.test(text),
  discord_api_url: isService,
  discord_authorize_url: isService,
  google_ads_client_id: (text) => text === '' || /^ca-pub-\d{16}$/.test(text),
  ...LINK_RULES,
  turnstile_url: isServiceUrl,
  // A typing error must not shut all staff out: each line is an address, a network or a range, or a comment.
  zero_trust_staff_networks: (text) => text.split('\n').every((line) => /^\s*[\d.:a-f/\s-]*(?:[#;].*)?$/i.test(line)),
  vpn_provider_url: (text) => text === '' || (isServiceUrl(text) && text.includes('{ip}')),
  vpn_provider_header: (text) => /^[A-Za-z0-9-]*$/.test(text),
  mail_host: isHost,
  imap_host: isHost,
  // Behind a plus follow up to 35 characters; mail servers take 64 before the @.
  ticket_mail_address: (text) => text === '' || /^[^\s@<>,;:"()[\]\\+]{1,28}@[^\s@<>,;:"()[\]\\+]+$/.test(text),
  ticket_mail_authserv: (text) => /^[A-Za-z0-9._-]*$/.test(text),
  virus_scanner: (text) => text === '' || /^(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]):[1-9]\d{0,4}$/.test(text),
  imap_folder: (text) => text !== '',
  backup_s3_endpoint: (text) => text === '' || isService(text),
  image_s3_endpoint: (text) => text === '' || isService(text),
  backup_s3_region: (text) => /^[a-z0-9-]*$/.test(text),
  backup_s3_bucket: (text) => /^(?:[a-z0-9][a-z0-9.-]*)?$/.test(text),
  // A folder's name, or several: nothing that a URL or a list of names would spell otherwise.
  backup_s3_prefix: (text) => /^(?:[\w-][\w.-]*\/)*(?:[\w-][\w.-]*)?$/.test(text),
  backup_s3_access_key: (text) => /^[\w+/=.-]*$/.test(text),
  mail_from_address: (text) => text === '' || /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text),
  client_plugins: (text) => pluginModules(text).every(isModulePath),
};

/** Whether a text is an address that a link may lead to: http or https, nobody's name in it (attacks T41). */
function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
}

/** Whether a text is the base address of a service: scheme, host and port alone. */
function isBase(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.origin === text;
}

/** A host name, an address, or nothing: without a port, and without what could end a line of a protocol. */
function isHost(text: string): boolean {
  return /^[A-Za-z0-9]?[A-Za-z0-9.-]*$/.test(text) || /^[0-9A-Fa-f:.]+$/.test(text);
}

/** An address of a service: http or https, without spaces, quotes or what ends a directive of a policy. */
function isServiceUrl(text: string): boolean {
  return /^https?:\/\/[^\s"';,]+$/.test(text) && URL.canParse(text.replaceAll(/[{}]/g, 'x'));
}

/** Whether a text is an address of a service: a path may follow, but neither a query nor anybody's name. */
function isService(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === ''
  );
}

/** What is wrong with a value of a setting: its type, bounds, length or form; null where it fits. */
export function faultOf(key: SettingKey, value: unknown): FieldCode | null {
  const row = SETTINGS[key];
  if (row.type === 'switch') return typeof value === 'boolean' ? null : 'INVALID';
  if (row.type === 'number') {
    if (typeof value !== 'number' || Number.isNaN(value)) return 'INVALID';
    if (value < row.min) return 'TOO_SMALL';
    if (value > row.max) return 'TOO_LARGE';
    return Number.isSafeInteger(value) ? null : 'NOT_WHOLE';
  }
  if (typeof value !== 'string' || (row.type === 'text' && 'lines' in row ? NO_LONG_TEXT : NO_LINE).test(value))
    return 'INVALID';
  if ('choices' in row && !row.choices.includes(value)) return 'INVALID';
  if (value.length > row.max) return 'TOO_LONG';
  const format = 'format' in row ? row.format : null;
  if (format === 'colour' && value !== '' && !isHexColour(value)) return 'INVALID';
  if (format === 'picture' && value !== '' && !isPictureId(value)) return 'INVALID';
  return RULES[key]?.(value) === false ? 'INVALID' : null;
}

/** Every key's value. What is stored but is no JSON or does not fit any more counts as not stored. */
export function withDefaults(stored: ReadonlyMap<string, string>): SettingValues {
  const values = Object.entries(SETTINGS).map(([key, row]): [string, string | number | boolean] => {
    const value = parse(stored.get(key));
    return [
      key,
      value !== undefined && faultOf(key as SettingKey, value) === null
        ? (value as string | number | boolean)
        : row.default,
    ];
  });
  return Object.freeze(Object.fromEntries(values)) as SettingValues;
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
