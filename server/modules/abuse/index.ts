export { createAbuse, type Abuse } from './service.ts';
export { VPN_JOB } from './vpn.ts';
export type { AbuseDeps, Identities } from './deps.ts';
export type { Sighting } from './signals.ts';
export type { Decision } from './review.ts';
export type {
  HeldQuery,
  HeldReward,
  Keyed,
  LinkedIdentity,
  ListedHeld,
  NetworkSet,
  Networks,
  Verdict,
  VpnProvider,
} from './ports.ts';
export type { Facts, Reason, Score, Terms } from './score.ts';
