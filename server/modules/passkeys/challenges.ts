import { HOUR, MINUTE } from '#shared/time.ts';
import type { Clock, Ids } from '../kernel.ts';

/** What a passkey is asked for. */
export type Purpose = 'enrol' | 'login' | 'factor' | 'confirm';
/** What names a challenge for using it once, and when it expires (UTC ms). */
interface OpenChallenge {
  readonly id: string;
  readonly expiresMs: number;
}
export interface ChallengeDeps {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'token' | 'hash'>;
  /** Hashes under the installation's key. */
  readonly keyed: { mac(purpose: string, text: string): string };
}

/**
 * How long a challenge may be answered, in ms. That of a log-in waits in the page until somebody picks a passkey in the
 * field of the name.
 */
const LIFE: Readonly<Record<Purpose, number>> = {
  enrol: 10 * MINUTE,
  login: HOUR,
  factor: 10 * MINUTE,
  confirm: 10 * MINUTE,
};
const NONCE_LENGTH = 22;

/**
 * Challenges of passkeys: signed with the installation's key, so that showing the page of the log-in writes nothing.
 * Each is good for one purpose, for one holder (a session, or the browser of a guest) and once: whoever uses it writes
 * that down.
 */
export function createChallenges({ clock, ids, keyed }: ChallengeDeps) {
  const sign = (purpose: Purpose, holder: string, nonce: string, expiresMs: number): string =>
    keyed.mac('passkey', `${purpose}:${holder}:${nonce}:${expiresMs}`);

  /** A new challenge, in letters, digits and dots. */
  function issue(purpose: Purpose, holder: string): string {
    const nonce = ids.token().slice(0, NONCE_LENGTH);
    const expiresMs = clock.now() + LIFE[purpose];
    return `${nonce}.${expiresMs}.${sign(purpose, holder, nonce, expiresMs)}`;
  }

  /** Checks a challenge that came back; null where it was not issued for this purpose and holder. */
  function check(purpose: Purpose, holder: string, challenge: string | null): OpenChallenge | 'expired' | null {
    const [, nonce = '', expiry = '', mac = ''] = /^([\w-]+)\.(\d{1,15})\.([\w-]+)$/.exec(challenge ?? '') ?? [];
    const expiresMs = Number(expiry);
    // Hashes are compared, so that how long it takes tells nothing of the right one.
    if (nonce === '' || ids.hash(mac) !== ids.hash(sign(purpose, holder, nonce, expiresMs))) return null;
    return expiresMs <= clock.now() ? 'expired' : { id: `passkey:${ids.hash(challenge ?? '')}`, expiresMs };
  }

  return { issue, check };
}
export type Challenges = ReturnType<typeof createChallenges>;
