export { createAbuse, type Abuse } from './service.ts';
export { placeSignalOf } from './signals.ts';
export { VPN_JOB } from './vpn.ts';
export type { AbuseDeps } from './deps.ts';
export type {
  HeldRewardQuery,
  HeldReward,
  Keyed,
  LinkedIdentity,
  ListedHeldReward,
  NetworkSet,
  Networks,
  Verdict,
  VpnProvider,
} from './ports.ts';
