/** Codes of servers for which the client has texts. */

/** Steps of a queue entry (`servers:step.<code>`), in the order of a normal build; then what else may happen. */
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
 * Why a panel or a node is out of service: the panel does not respond; it refuses our key; the node does not respond,
 * or is in maintenance; staff turned it off.
 */
export const OUTAGE_CAUSES = ['panel', 'key', 'node', 'maintenance', 'off'] as const;
export type OutageCause = (typeof OUTAGE_CAUSES)[number];
/** What an entry of the queue waits for (`servers:waiting.<code>`); `busy`: the panel is overloaded. */
export const QUEUE_WAITS = [...OUTAGE_CAUSES, 'busy'] as const;
export type QueueWait = (typeof QUEUE_WAITS)[number];

/** Why a server failed (`servers:failure.<code>`). */
export const SERVER_FAILURES = [
  /** The panel did not confirm the creation after three attempts. */
  'panelUnavailable',
  /** The panel or node was unavailable for too long, or turned off by staff; or it refused the key of this installation. */
  'panelAway',
  'nodeAway',
  'panelOff',
  'panelKey',
  /** The panel refused. */
  'panelRefused',
  /** The installation failed. */
  'installFailed',
  /** The installation timed out. */
  'installTimeout',
  /** It vanished from the panel. */
  'panelLost',
  /** An account at the panel has the owner's address and is not bound to the owner. */
  'accountTaken',
  /** The panel does not accept the owner's address. */
  'addressRefused',
  /** Every allocation that was tried was taken. */
  'noRoom',
  /** Its location or egg is no longer in the catalogue. */
  'catalogGone',
  /** The worker crashed while building it, three times. */
  'interrupted',
  /** The owner was banned while it waited. */
  'banned',
] as const;
export type ServerFailure = (typeof SERVER_FAILURES)[number];

/** Why a server of this machine does not run although nobody stopped it, or does not end (`live:halt.<code>`). */
export const HALT_REASONS = [
  /** Another program has one of its ports. */
  'port_taken',
  /** Its files take more than its limit of disk: it did not start, or was stopped. */
  'disk_full',
  'not_installed',
  /** Its owner has not accepted the licence of the game yet; it starts by itself then. */
  'licence',
  /** The machine could not begin it; the log of the node says why. */
  'start_failed',
  'crashed',
  'out_of_memory',
  /** Its processes do not end. */
  'stuck',
  /** All servers of the machine rest while staff work on it; it starts by itself afterwards. */
  'maintenance',
  /** The machine has no more space than it keeps for itself. */
  'reserve',
  /** What runs its container does not answer; it starts by itself when that is back. */
  'engine',
] as const;
export type HaltReason = (typeof HALT_REASONS)[number];

/**
 * Lines of a console: what the server wrote, what was written to it, what state it came to (`live:console.event`), and
 * which of its configuration files was left as it is (`live:console.config`).
 */
export const CONSOLE_KINDS = ['out', 'in', 'state', 'config'] as const;
export type ConsoleKind = (typeof CONSOLE_KINDS)[number];
/** Why the settings of a configuration file were not written before a start. */
export const CONFIG_PROBLEMS = [
  /** It is not what its parser reads. */
  'unreadable',
  'too_large',
  'disk_full',
  /** No file, a link that leads elsewhere, or closed by its own rights. */
  'denied',
  /** Nobody knows: the program that does it ended, or took too long. */
  'failed',
] as const;
export type ConfigProblemReason = (typeof CONFIG_PROBLEMS)[number];
/** States of a server that runs here. */
export const RUNTIME_STATES = ['installing', 'install_failed', 'offline', 'starting', 'running', 'stopping'] as const;
export type RuntimeState = (typeof RUNTIME_STATES)[number];

/**
 * What happened to a server (`servers:event.<code>`); `detail` is a date, a reason, a list of changed fields, or who is
 * meant.
 */
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
  'powerKill',
  'licenceAccepted',
  'backupMade',
  'backupRestored',
  'backupDeleted',
  'opened',
  'commandSent',
  'filesChanged',
  'filesDeleted',
  'subuserAdded',
  'subuserChanged',
  'subuserRemoved',
  'subuserLeft',
  'scheduleFailed',
  'reinstalling',
  'reinstalled',
  'reinstallFailed',
  'deleteWaits',
  'adopted',
] as const;
export type ServerEvent = (typeof SERVER_EVENTS)[number];

/** What the dashboard suggests (`dashboard:next.<code>`), most urgent first. `subject` is a server's name. */
export const NEXT_STEPS = ['unpaid', 'renew', 'verify', 'failed', 'create', 'afk', 'store', 'redeem'] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

/** Why a server's usage is unknown, or its power cannot be controlled (`live:problem.<code>`). */
export const LIVE_PROBLEMS = [
  /** The built-in panel: no game process runs. */
  'embedded',
  /** The host has set no client key of the panel. */
  'noKey',
  /** The server does not exist yet, or no longer. */
  'notReady',
  'suspended',
  /** The panel is busy with it: installing, restoring, or its node is in maintenance. */
  'busy',
  /** The panel refused to answer. */
  'refused',
  /** The panel does not respond. */
  'unreachable',
] as const;
export type LiveProblem = (typeof LIVE_PROBLEMS)[number];
