export { createAbuse, type Abuse } from './service.ts';
export { VPN_JOB } from './vpn.ts';
export type { AbuseDeps } from './deps.ts';
export type { Sighting } from './signals.ts';
export type { Decision } from './review.ts';
export type {
  HeldQuery,
  HeldReward,
  Identities,
  Keyed,
  LinkedIdentity,
  ListedHeld,
  NetworkSet,
  Networks,
  Verdict,
  VpnProvider,
} from './ports.ts';
export type { Facts, Reason, Score, Terms } from './score.ts';
