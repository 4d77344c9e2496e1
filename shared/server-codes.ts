/** Codes that the servers part of the product sends and the client has texts for. */

/** Steps of a queue entry (`servers:step.<code>`), in the order of an undisturbed run; then what may happen on the way. */
export const QUEUE_STEPS = [
  'queued',
  'reserved',
  'started',
  'userEnsured',
  'lookedUp',
  'created',
  'waiting',
  'installed',
  'found',
  'moved',
  'postponed',
  'retry',
  'failed',
  'cancelled',
  'released',
] as const;
export type QueueStep = (typeof QUEUE_STEPS)[number];

/**
 * Why a panel, or a machine of it, takes no orders: it does not answer; it refuses our key; its machine does not answer
 * it, or is in maintenance; staff turned it off.
 */
export const OUTAGE_CAUSES = ['panel', 'key', 'node', 'maintenance', 'off'] as const;
export type OutageCause = (typeof OUTAGE_CAUSES)[number];
/** What an entry of the queue waits for (`servers:waiting.<code>`); `busy`: the panel has too much to do just now. */
export const QUEUE_WAITS = [...OUTAGE_CAUSES, 'busy'] as const;
export type QueueWait = (typeof QUEUE_WAITS)[number];

/** Why a server failed (`servers:failure.<code>`). */
export const SERVER_FAILURES = [
  /** The panel was given the order three times and did not confirm it. */
  'panelUnavailable',
  /**
   * The panel, or its machine, was away for too long, or staff had it turned off; or it refused the key of this
   * installation.
   */
  'panelAway',
  'nodeAway',
  'panelOff',
  'panelKey',
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
  'created',
  'ready',
  'failed',
  'retried',
  'cancelled',
  'updated',
  'renewed',
  'autoRenewed',
  'autoRenewOn',
  'autoRenewOff',
  'suspended',
  'resumed',
  'deleting',
  'deleted',
  'repaired',
  'syncRefused',
  'powerStart',
  'powerStop',
  'powerRestart',
  'reinstalling',
  'reinstalled',
  'reinstallFailed',
  'deleteWaits',
  'adopted',
] as const;
export type ServerEvent = (typeof SERVER_EVENTS)[number];

/** What the dashboard proposes (`dashboard:next.<code>`), most urgent first. `subject` is a server's name. */
export const NEXT_STEPS = ['unpaid', 'renew', 'verify', 'failed', 'create', 'afk', 'store', 'redeem'] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

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
