/** Whom or what a change of a setting affects (`staffSettings:affects.<name>`). */
export const SETTING_EFFECTS = [
  'usersWithoutFactor',
  'usersWithPasskey',
  'unconfirmedUsers',
  'signedInStaff',
  'afkSessions',
  'usersAtCap',
  'renewedServers',
  'expiredServers',
  'openOrders',
  'queueEntries',
  'openReferrals',
  'queuedMails',
  'usableCodes',
  'openTickets',
  'usersWithoutZone',
  'droppedBackups',
] as const;
export type SettingEffect = (typeof SETTING_EFFECTS)[number];

/** How many a change affects. */
export interface AffectedCount {
  readonly who: SettingEffect;
  readonly count: number;
  /** There are more than are counted. */
  readonly more: boolean;
}
