/** Codes that the servers part of the product sends and the client has texts for. */

/** Steps of a queue entry (`servers:step.<code>`), in the order of an undisturbed run; then what may happen on the way. */
export const QUEUE_STEPS = [
  'queued', 'claimed', 'userEnsured', 'lookedUp', 'created', 'waiting', 'installed', 'found', 'retry', 'failed', 'cancelled', 'released',
] as const;
export type QueueStep = (typeof QUEUE_STEPS)[number];

/** Why a server failed (`servers:failure.<code>`). */
export const SERVER_FAILURES = [
  /** The panel did not answer, three times. */
  'panelUnavailable',
  /** The panel said no. */
  'panelRefused',
  /** The installation ended in failure. */
  'installFailed',
  /** The installation did not end in time. */
  'installTimeout',
  /** It vanished from the panel. */
  'panelLost',
  /** Its place or software is not in the catalogue any more. */
  'catalogGone',
  /** The worker broke down while building it, three times. */
  'interrupted',
  /** The owner was banned while it waited. */
  'banned',
] as const;
export type ServerFailure = (typeof SERVER_FAILURES)[number];

/** What happened to a server (`servers:event.<code>`); `detail` is a date, a reason or a list of changed fields. */
export const SERVER_EVENTS = [
  'created', 'ready', 'failed', 'retried', 'cancelled', 'updated', 'renewed', 'autoRenewed', 'autoRenewOn', 'autoRenewOff', 'suspended', 'resumed', 'deleting',
  'deleted', 'repaired', 'syncRefused',
] as const;
export type ServerEvent = (typeof SERVER_EVENTS)[number];

/** What the dashboard proposes (`dashboard:next.<code>`), most urgent first. `subject` is a server's name. */
export const NEXT_STEPS = ['unpaid', 'renew', 'verify', 'failed', 'create', 'afk', 'store', 'redeem'] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

/** Kinds of notification about servers (`shell:notification.<kind>`). `data` holds `server` (its name), `id`, and where it fits `cost`, `days`, `address`, `reason` and times in ISO. */
export const SERVER_NOTIFICATIONS = [
  'serverReady', 'serverFailed', 'renewReminder', 'serverSuspended', 'serverResumed', 'serverDeleteWarning', 'serverDeleted', 'serverRenewed',
] as const;
export type ServerNotification = (typeof SERVER_NOTIFICATIONS)[number];
