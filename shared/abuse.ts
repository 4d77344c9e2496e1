/** Reasons against paying a user's reward (behaviour 4.6). Each has a text: `heldStaff:reason.<code>`. */
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

/** What two accounts may have in common, the most telling first. */
export const SHARED_KINDS = ['identity', 'payment', 'device', 'address'] as const;
export type SharedKind = (typeof SHARED_KINDS)[number];
