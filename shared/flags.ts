/**
 * The feature flags of the specification, section 3. A flag that is off answers 404 FEATURE_DISABLED and hides its
 * navigation.
 */
export const FLAGS = [
  'afk_enabled',
  'allow_coins_sharing',
  'allow_public_profiles',
  'allow_servers',
  'allow_tickets',
  'code_redemption_enabled',
  'credits_recharge_enabled',
  'early_supporters_enabled',
  'leaderboard_enabled',
  'referrals_enabled',
  'server_renew_enabled',
  'store_enabled',
  'zero_trust_enabled',
] as const;
export type Flag = (typeof FLAGS)[number];
export type Flags = Readonly<Record<Flag, boolean>>;
