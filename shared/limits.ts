/** Rate limits of endpoints: `max` calls in `windowS` seconds, counted per user (per address for guests). */
export interface RateLimit {
  readonly per: 'user' | 'address';
  readonly max: number;
  readonly windowS: number;
}
export const LIMITS = {
  /** Everything that is not named otherwise. */
  read: { per: 'user', max: 600, windowS: 60 },
  write: { per: 'user', max: 120, windowS: 60 },
  login: { per: 'address', max: 20, windowS: 60 },
  register: { per: 'address', max: 10, windowS: 600 },
  /** Asking for a link by which a new password is set: nobody is filled with letters, and nobody tries names in bulk. */
  reset: { per: 'address', max: 10, windowS: 600 },
  mail: { per: 'user', max: 10, windowS: 600 },
  stream: { per: 'user', max: 30, windowS: 60 },
  afk: { per: 'user', max: 60, windowS: 60 },
  create: { per: 'user', max: 30, windowS: 60 },
  /** Start, stop, restart: each is a call to the panel, whose own limit all users share. */
  power: { per: 'user', max: 20, windowS: 60 },
  /** Live usage of one's servers. */
  usage: { per: 'user', max: 120, windowS: 60 },
  /** Making a puzzle costs the server a little. */
  challenge: { per: 'address', max: 60, windowS: 60 },
  /** Asking for people by name. */
  lookup: { per: 'user', max: 40, windowS: 60 },
  /** Asking a gateway once more about an order. */
  check: { per: 'user', max: 6, windowS: 60 },
  /** Notices of gateways, before their signature is looked at. */
  webhook: { per: 'address', max: 1200, windowS: 60 },
  upload: { per: 'user', max: 20, windowS: 600 },
} as const satisfies Record<string, RateLimit>;
export type LimitName = keyof typeof LIMITS;
