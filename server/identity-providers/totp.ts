import { Secret, TOTP } from 'otpauth';
import type { Totp } from '#server/modules/identity/ports.ts';

/** Bytes of a secret: RFC 4226 asks for 20. */
const SECRET_BYTES = 20;
const PERIOD_S = 30;
/** Steps before and after the current one: clocks of phones are rarely off by more. */
const WINDOW = 1;

const made = (secret: string, issuer = '', label = '') =>
  new TOTP({ secret: Secret.fromBase32(secret), issuer, label, algorithm: 'SHA1', digits: 6, period: PERIOD_S });

/** Time-based one-time passwords as every authenticator app knows them. */
export const totp: Totp = {
  newSecret: () => new Secret({ size: SECRET_BYTES }).base32,
  uri: (secret, issuer, account) => made(secret, issuer, account).toString(),
  stepOf(secret, code, nowMs) {
    const delta = made(secret).validate({ token: code, timestamp: nowMs, window: WINDOW });
    return delta === null ? null : Math.floor(nowMs / 1000 / PERIOD_S) + delta;
  },
};
