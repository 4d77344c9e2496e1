import type { FieldCode } from '#shared/errors.ts';
import { isLoopbackName } from '#shared/loopback.ts';
import type { SettingKey, SettingValues } from '#shared/settings.ts';

/** Settings of which the first may not be above the second. */
const ORDERED: readonly (readonly [SettingKey, SettingKey])[] = [
  ['gift_min', 'gift_max'],
  ['payment_min', 'payment_max'],
  ['server_renew_days', 'renew_max_days'],
];
/** What a value needs to work: other settings that may not be empty. */
const NEEDS: readonly (readonly [SettingKey, string | boolean, readonly SettingKey[]])[] = [
  ['challenge', 'turnstile', ['turnstile_site_key', 'turnstile_secret']],
  ['google_ads_enabled', true, ['google_ads_client_id']],
  ['stripe_enabled', true, ['stripe_secret_key', 'stripe_webhook_secret']],
  ['paypal_enabled', true, ['paypal_client_id', 'paypal_client_secret', 'paypal_webhook_id']],
  ['ticket_mail_enabled', true, ['ticket_mail_address']],
  ['ticket_mail_new', true, ['ticket_mail_address', 'ticket_mail_authserv']],
];

/**
 * What is wrong between settings after a change: a least above a most, something switched on without what it needs. In:
 * all values as they would be, and the keys that change; pairs that nobody touches are left alone.
 */
export function spanFaults(after: SettingValues, changed: readonly SettingKey[]): [SettingKey, FieldCode][] {
  const touches = (...keys: readonly SettingKey[]) => keys.some((key) => changed.includes(key));
  const order = ORDERED.filter(([low, high]) => touches(low, high) && after[low] > after[high]).map(
    ([low, high]): [SettingKey, FieldCode] => (changed.includes(low) ? [low, 'TOO_LARGE'] : [high, 'TOO_SMALL']),
  );
  const needs = NEEDS.filter(([key, value, needed]) => after[key] === value && touches(key, ...needed)).flatMap(
    ([, , needed]) =>
      needed.filter((each) => after[each] === '').map((each): [SettingKey, FieldCode] => [each, 'REQUIRED']),
  );
  return [...order, ...needs, ...mailFaults(after, touches), ...mailboxFaults(after, touches)];
}

/** A mail server without a sender, or a password that would cross the network in clear. */
function mailFaults(
  { mail_host: host, mail_from_address: sender, mail_encryption: encryption, mail_password: password }: SettingValues,
  touches: (...keys: readonly SettingKey[]) => boolean,
): [SettingKey, FieldCode][] {
  const inClear = encryption === 'none' && password !== '' && host !== '' && !isLoopbackName(host);
  return [
    ...(host !== '' && sender === '' && touches('mail_host', 'mail_from_address')
      ? ([['mail_from_address', 'REQUIRED']] as [SettingKey, FieldCode][])
      : []),
    ...(inClear && touches('mail_host', 'mail_encryption', 'mail_password')
      ? ([['mail_encryption', 'NOT_ALLOWED']] as [SettingKey, FieldCode][])
      : []),
  ];
}

/** A mailbox that is read without a user, or a password that would cross the network in clear. */
function mailboxFaults(
  { imap_host: host, imap_username: user, imap_encryption: encryption, imap_password: password }: SettingValues,
  touches: (...keys: readonly SettingKey[]) => boolean,
): [SettingKey, FieldCode][] {
  const inClear = encryption === 'none' && password !== '' && host !== '' && !isLoopbackName(host);
  return [
    ...(host !== '' && user === '' && touches('imap_host', 'imap_username')
      ? ([['imap_username', 'REQUIRED']] as [SettingKey, FieldCode][])
      : []),
    ...(inClear && touches('imap_host', 'imap_encryption', 'imap_password')
      ? ([['imap_encryption', 'NOT_ALLOWED']] as [SettingKey, FieldCode][])
      : []),
  ];
}
