import type { PanelUser } from '#server/modules/servers/panel/ports.ts';

/** Names of an account as the panel takes them. */
export interface PanelNames {
  /** To be tried in this order: the first is the plain one, each other has more of our id in it, the last has it all. */
  readonly usernames: readonly [string, ...string[]];
  readonly firstName: string;
  readonly lastName: string;
}

/** Shortest username, and what is kept of a long one so that a suffix fits well below 191 (panel contract, section 3). */
const SHORTEST = 3;
const KEPT = 60;
const NAME = 191;
/** What stands in for a name that is empty: the panel wants one. */
const FILLER = '-';

/** Lower case a–z, 0–9, `_ . -` in the middle; marks of letters are dropped (É becomes e), other writings leave nothing. */
function plain(username: string): string {
  const letters = username
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]/g, '');
  return trimmed(trimmed(letters).slice(0, KEPT));
}
function trimmed(text: string): string {
  return text.replace(/^[^a-z0-9]+/, '').replace(/[^a-z0-9]+$/, '');
}
/** One line, trimmed, at most as long as the panel takes it. */
function line(text: string): string {
  return [...text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()].slice(0, NAME).join('').trim();
}

/**
 * A user's names for the panel (panel contract, section 3): its usernames have at least three signs, begin and end with
 * a letter or digit, and are unique without case. Ours may be short, begin with a dot or be of letters it does not
 * know, and two of them may look alike to it: then signs of our id are added. The same user always gets the same list.
 */
export function namesOf(user: PanelUser): PanelNames {
  const base = plain(user.username);
  // The end of a UUID of version 7 is its random part.
  const own = user.externalId.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const stem = base === '' ? 'user' : base;
  const suffixed = [`${stem}_${own.slice(-6)}`, `${stem}_${own.slice(-12)}`, `u${own.slice(-128)}`] as const;
  return {
    usernames: base.length < SHORTEST ? suffixed : [base, ...suffixed],
    firstName: line(user.firstName) || line(user.username) || FILLER,
    lastName: line(user.lastName) || FILLER,
  };
}
