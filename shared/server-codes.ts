/** Codes that the servers part of the product sends and the client has texts for. */

/** Steps of a queue entry (`servers:step.<code>`), in the order of an undisturbed run; then what may happen on the way. */
export const QUEUE_STEPS = [
  'queued', 'reserved', 'claimed', 'userEnsured', 'lookedUp', 'created', 'waiting', 'installed', 'found', 'moved', 'retry', 'failed', 'cancelled', 'released',
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
  /** An account at the panel has the owner's address and is not bound to the owner. */
  'accountTaken',
  /** The panel does not take the owner's address. */
  'addressRefused',
  /** Every place that was tried at the panel was taken. */
  'noRoom',
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
  'deleted', 'repaired', 'syncRefused', 'powerStart', 'powerStop', 'powerRestart', 'reinstalling', 'reinstalled', 'reinstallFailed', 'deleteWaits', 'adopted',
] as const;
export type ServerEvent = (typeof SERVER_EVENTS)[number];

/** What the dashboard proposes (`dashboard:next.<code>`), most urgent first. `subject` is a server's name. */
export const NEXT_STEPS = ['unpaid', 'renew', 'verify', 'failed', 'create', 'afk', 'store', 'redeem'] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

/** Kinds of notification about servers (`shell:notification.<kind>`). `data` holds `server` (its name), `id`, and where it fits `cost`, `days`, `address`, `reason` and times in ISO. */
export const SERVER_NOTIFICATIONS = [
  'serverReady', 'serverFailed', 'renewReminder', 'serverSuspended', 'serverResumed', 'serverDeleteWarning', 'serverDeleted', 'serverRenewed', 'serverHalted',
] as const;
export type ServerNotification = (typeof SERVER_NOTIFICATIONS)[number];

/** Why nobody knows what a server uses right now, or why it cannot be switched (`live:problem.<code>`). */
export const LIVE_PROBLEMS = [
  /** The built-in panel: no game process runs. */
  'embedded',
  /** The host gave no key of the panel's client API. */
  'noKey',
  /** It is not there yet, or not any more. */
  'notReady',
  'suspended',
  /** The panel is at it: installing, restoring, or its machine is in maintenance. */
  'busy',
  /** The panel understood and did not tell. */
  'refused',
  /** The panel does not answer. */
  'unreachable',
] as const;
export type LiveProblem = (typeof LIVE_PROBLEMS)[number];
