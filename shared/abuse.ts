/**
 * What can speak against a user when a reward is to be paid (behaviour 4.6). Each has a text:
 * `heldStaff:reason.<code>`.
 */
export const REASON_CODES = [
  'deviceShared',
  'deviceSpread',
  'addressShared',
  'sharedAround',
  'throwawayAround',
  'codeShared',
  'identityShared',
  'paymentShared',
  'disposableMail',
  'discordYoung',
  'vpn',
  'vpnUnknown',
  'noProof',
  'burst',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];
