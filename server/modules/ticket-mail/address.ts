import type { Keyed } from '../abuse/index.ts';

/** Hex digits of the code in an address: nobody guesses 80 bits by mail. */
const CODE_DIGITS = 20;
const TICKET = /^t(\d{1,12})\.([0-9a-f]{20})$/;

/** What the code of an address is made with: HMAC-SHA256 of a text under the key of a purpose, base64url. */
export interface AddressKey {
  readonly keyed: Pick<Keyed, 'mac'>;
}

/**
 * The code that proves that a mail to a ticket's address answers a mail from here. In hex, because mail servers may
 * write addresses in small letters.
 */
function codeOf({ keyed }: AddressKey, ticketId: string): string {
  return Buffer.from(keyed.mac('ticket.mail', ticketId), 'base64url').toString('hex').slice(0, CODE_DIGITS);
}

/**
 * The address that answers to a ticket's mails go to: `support+t1042.<code>@example.org`. In: the address of the
 * mailbox.
 */
export function toTicketAddress(
  key: AddressKey,
  address: string,
  { id, number }: { readonly id: string; readonly number: number },
): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}+t${number}.${codeOf(key, id)}${address.slice(at)}`;
}

/** What stands behind the plus in one of the mailbox's own addresses; '' where nothing does, null for another address. */
function detailOf(given: string, address: string): string | null {
  const at = address.lastIndexOf('@');
  const [own, domain] = [address.slice(0, at).toLowerCase(), address.slice(at).toLowerCase()];
  const text = given.trim().toLowerCase();
  if (!text.endsWith(domain) || text.indexOf('@') !== text.length - domain.length) return null;
  const local = text.slice(0, -domain.length);
  if (local === own) return '';
  return local.startsWith(`${own}+`) ? local.slice(own.length + 1) : null;
}

/** Numbers and codes of tickets among the addresses that a mail went to, each once. */
export function parseTicketAddresses(to: readonly string[], address: string): { number: number; code: string }[] {
  const found = new Map<string, { number: number; code: string }>();
  for (const each of to) {
    const [, number, code] = TICKET.exec(detailOf(each, address) ?? '') ?? [];
    if (number !== undefined && code !== undefined) found.set(`${number}.${code}`, { number: Number(number), code });
  }
  return [...found.values()];
}

/** Whether a code is that of a ticket. */
export function isCodeOf(key: AddressKey, ticketId: string, code: string): boolean {
  // Compared as hashes of both, so that how long it takes says nothing of how far a guess is right.
  const blind = (text: string) => key.keyed.mac('mail.compare', text);
  return blind(code) === blind(codeOf(key, ticketId));
}

/** Whether an address is that of the mailbox, with nothing behind a plus. */
export function isMailbox(given: string, address: string): boolean {
  return detailOf(given, address) === '';
}

/** Whether an address is the mailbox's own, or one of a ticket's. */
export function isOwnAddress(given: string, address: string): boolean {
  return detailOf(given, address) !== null;
}
