import { RESOURCE_KINDS, SERVER_MINIMUM, type ResourceKind, type Resources } from '#shared/constants.ts';
import { matchPattern } from '#shared/egg-matcher.ts';
import { checkRules } from '#shared/egg-rules.ts';
import { DomainError, type ErrorCode, type FieldErrors } from '#shared/errors.ts';
import type { EggVariable } from '#shared/schemas/egg.ts';
import type { ServerState } from '#shared/schemas/server.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { backSince, type Downtime } from '../../uptime/index.ts';
import type { Meters } from './settings.ts';
import type { ServerResources } from '../panel/ports.ts';
import type { ServerReminder, ReminderKind, SuspendReason } from './ports.ts';

/** How the queue works (behaviour 6.2). */
export const QUEUE = {
  /** Attempts at the panel before it is final. */
  attempts: 3,
  /** Pause after the first and the second try. */
  pausesMs: [30 * SECOND, 2 * MINUTE],
  /**
   * Longest that one attempt may take: longer than all calls to a panel that it may make, each up to 60 s with the wait
   * for its turn. The lease itself is short and renewed meanwhile, so that it ends soon after its worker is gone.
   */
  leaseMs: 10 * MINUTE,
  /** To what a lease is lengthened with each step. */
  renewedMs: 30 * SECOND,
  /** Attempts at once in one process. */
  concurrency: 32,
  /**
   * Servers under construction at the same time: at the embedded panel, and at each real one, where an installation
   * takes minutes and the machines are many.
   */
  width: 4,
  panelWidth: 32,
  /** How often an installation is polled: a quarter of its age, within these bounds. */
  pollMs: [SECOND, 30 * SECOND],
  /** An installation that takes longer has failed. */
  installTimeoutMs: 30 * MINUTE,
  /** Servers begun within this time count against its user in the line. */
  servedWindowMs: 10 * MINUTE,
  /** Length of a build before there is any experience. */
  fallbackMs: MINUTE,
} as const;

/** Between two answers before "not found" is believed (behaviour 6.3: an unreachable panel is never read as "gone"). */
export const RECHECK_MS = MINUTE;

/** A pause, give or take a quarter, so that those who failed together do not meet again. `random`: 0 to 1. */
export function withJitter(ms: number, random: () => number): number {
  return Math.round(ms * (0.75 + 0.5 * random()));
}

/** Pause before a panel call is tried again: 5 s, tripled each time, at most 10 min, for ever. */
export function syncPauseMs(attempt: number): number {
  return Math.min(10 * MINUTE, 5 * SECOND * 3 ** Math.min(attempt, 10));
}

export const SERVER_KINDS = [
  'memory',
  'disk',
  'cpu',
  'ports',
  'databases',
  'backups',
] as const satisfies readonly (keyof ServerResources)[];

const NOT_ENOUGH: Readonly<Record<ResourceKind, ErrorCode>> = {
  memory: 'NOT_ENOUGH_MEMORY',
  disk: 'NOT_ENOUGH_DISK',
  cpu: 'NOT_ENOUGH_CPU',
  slots: 'NOT_ENOUGH_SLOTS',
  ports: 'NOT_ENOUGH_PORTS',
  databases: 'NOT_ENOUGH_DATABASES',
  backups: 'NOT_ENOUGH_BACKUPS',
};

/**
 * Refuses amounts below the least of behaviour 6.1, fractions and nonsense: zero never means unlimited (attacks T22).
 * Throws VALIDATION_FAILED.
 */
export function assertAmounts(resources: ServerResources): void {
  const fields: FieldErrors = {};
  for (const kind of SERVER_KINDS) {
    const amount: unknown = resources[kind];
    if (typeof amount !== 'number' || !Number.isSafeInteger(amount)) fields[kind] = ['NOT_WHOLE'];
    else if (amount < SERVER_MINIMUM[kind]) fields[kind] = ['TOO_SMALL'];
  }
  if (Object.keys(fields).length > 0) throw new DomainError('VALIDATION_FAILED', { fields });
}

/**
 * What a change takes from the user's limits: a whole server and its slot, or the difference to what it has. Negative
 * gives back.
 */
export function resourcesTaken(wanted: ServerResources, has: ServerResources | null): Resources {
  const more = (kind: keyof ServerResources) => wanted[kind] - (has?.[kind] ?? 0);
  return {
    memory: more('memory'),
    disk: more('disk'),
    cpu: more('cpu'),
    slots: has ? 0 : 1,
    ports: more('ports'),
    databases: more('databases'),
    backups: more('backups'),
  };
}

/**
 * The one guard of limits: each path that takes resources goes through it (attacks T21, T23). Only what is taken on top
 * is checked, so a user above a lowered limit can still give back. Throws NOT_ENOUGH_… of the first kind that does not
 * fit, naming all of them as fields.
 */
export function assertFits(meters: Meters, taken: Resources): void {
  const short = RESOURCE_KINDS.filter(
    (kind) => taken[kind] > 0 && meters[kind].used + taken[kind] > meters[kind].limit,
  );
  const [first] = short;
  if (!first) return;
  throw new DomainError(NOT_ENOUGH[first], { fields: Object.fromEntries(short.map((kind) => [kind, ['NOT_ENOUGH']])) });
}

interface EggMinimum {
  readonly minMemory: number;
  readonly minDisk: number;
  readonly minCpu: number;
}
/** Refuses less than the egg needs. With `has` only kinds that change are checked. Throws BELOW_EGG_MINIMUM. */
export function assertEggMinimum(egg: EggMinimum, wanted: ServerResources, has: ServerResources | null = null): void {
  const least = { memory: egg.minMemory, disk: egg.minDisk, cpu: egg.minCpu };
  const short = (['memory', 'disk', 'cpu'] as const).filter(
    (kind) => wanted[kind] < least[kind] && wanted[kind] !== has?.[kind],
  );
  if (short.length > 0)
    throw new DomainError('BELOW_EGG_MINIMUM', {
      fields: Object.fromEntries(short.map((kind) => [kind, ['BELOW_MINIMUM']])),
    });
}

/** Control characters have no place in an environment (attacks T29). */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/**
 * Checks the owner's values of an egg's variables by its rules (behaviour 6.1). Out: the values to keep, without those
 * that are the default. A value for a variable that is not the owner's to set is refused. Throws VALIDATION_FAILED with
 * `variables.<NAME>`.
 */
export function checkVariables(
  variables: readonly EggVariable[],
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const fields: FieldErrors = {};
  const known = new Map(variables.map((variable) => [variable.env, variable]));
  for (const env of Object.keys(values)) {
    const variable = known.get(env);
    if (!variable) fields[`variables.${env}`] = ['UNKNOWN'];
    else if (!variable.user_editable) fields[`variables.${env}`] = ['NOT_ALLOWED'];
  }
  const kept: Record<string, string> = {};
  for (const variable of variables) {
    if (!variable.user_editable) continue;
    const given = Object.hasOwn(values, variable.env) ? values[variable.env] : undefined;
    const value = given ?? variable.default_value;
    const code = CONTROL.test(value) ? 'INVALID' : checkRules(variable.rules, value, matchPattern).code;
    if (code) fields[`variables.${variable.env}`] = [code];
    else if (given !== undefined && given !== variable.default_value) kept[variable.env] = given;
  }
  if (Object.keys(fields).length > 0) throw new DomainError('VALIDATION_FAILED', { fields });
  return kept;
}

/**
 * Everything the panel gets as environment: the egg's defaults under the owner's values (the panel fills nothing in by
 * itself).
 */
export function toEnvironment(
  variables: readonly EggVariable[],
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    variables.map((variable) => [
      variable.env,
      variable.user_editable && Object.hasOwn(values, variable.env)
        ? (values[variable.env] ?? variable.default_value)
        : variable.default_value,
    ]),
  );
}

/**
 * New expiry of a renewal (behaviour 6.5): the later of now and the old one, plus the days. UTC, so a day is always 24
 * h.
 */
export function renewedExpiry(nowMs: number, expiresMs: number | null, days: number): number {
  return Math.max(nowMs, expiresMs ?? nowMs) + days * DAY;
}

/** Why a server cannot be renewed now, apart from money; null where it can. */
export function renewRefusal(
  server: { state: ServerState; suspendReason: SuspendReason | null; expiresMs: number | null },
  nowMs: number,
  terms: { days: number; maxDays: number },
): ErrorCode | null {
  if (server.state === 'suspended' && server.suspendReason !== 'expired') return 'SERVER_SUSPENDED';
  if (server.state !== 'active' && server.state !== 'suspended') return 'SERVER_NOT_READY';
  return renewedExpiry(nowMs, server.expiresMs, terms.days) > nowMs + terms.maxDays * DAY ? 'RENEW_TOO_FAR' : null;
}

/** Why a server cannot be changed now; null where it can. */
export function updateRefusal(state: ServerState): ErrorCode | null {
  if (state === 'active') return null;
  if (state === 'suspended') return 'SERVER_SUSPENDED';
  return state === 'deleting' ? 'SERVER_BUSY' : 'SERVER_NOT_READY';
}

/** Days before expiry at which the owner is reminded (behaviour 6.5), most distant first. */
const REMINDERS = [7, 3, 1] as const;
const kindOf = (days: (typeof REMINDERS)[number]): ReminderKind => `remind${days}`;
/** A reminder that came so long before the expiry left its day, but for the scheduler's own delay. */
const A_DAY_BEFORE = 23 * HOUR;

/**
 * Whether what was announced for a moment fell into a downtime, or into the day after it: then nobody could act on it,
 * and it is announced again. `backMs`: when the product was up again (`backSince` of the moment).
 */
export const missedFor = (dueMs: number, backMs: number): boolean => backMs > 0 && dueMs < backMs + DAY;

/** Reminders of a period that its owner could act on. */
function remindersOf(server: { expiresMs: number }, sent: readonly ServerReminder[], backMs: number): ServerReminder[] {
  const sinceMs = missedFor(server.expiresMs, backMs) ? backMs : 0;
  return sent.filter(
    (notice) => notice.periodMs === server.expiresMs && notice.kind.startsWith('remind') && notice.atMs >= sinceMs,
  );
}

/**
 * The reminder that is due, if any: of those whose moment has come only the latest, so that after a long sleep of the
 * scheduler nobody gets three at once (attacks T12), and none after a later one of the same period. Periods shorter
 * than a reminder's distance go without it. `remindOver` is for a period that is over without a reminder that counts.
 * `backMs`: see `missedFor`.
 */
export function reminderDue(
  server: { expiresMs: number },
  sent: readonly ServerReminder[],
  nowMs: number,
  periodDays: number,
  backMs = 0,
): ReminderKind | null {
  const counting = remindersOf(server, sent, backMs);
  if (nowMs >= server.expiresMs) return counting.length === 0 ? 'remindOver' : null;
  const usable = REMINDERS.filter((days) => days < periodDays || days === 1);
  const kinds = new Set(counting.map((notice) => notice.kind));
  const due = usable.filter((days) => nowMs >= server.expiresMs - days * DAY).at(-1);
  if (due === undefined) return null;
  return usable.some((days) => days <= due && kinds.has(kindOf(days))) ? null : kindOf(due);
}

/**
 * When a server may be suspended: at its expiry, where a reminder that counts came about a day before, else a day after
 * the first one (null: none was sent yet). `backMs`: see `missedFor`.
 */
export function suspendsAt(server: { expiresMs: number }, sent: readonly ServerReminder[], backMs = 0): number | null {
  const reminders = remindersOf(server, sent, backMs);
  if (reminders.length === 0) return null;
  const firstMs = Math.min(...reminders.map((notice) => notice.atMs));
  return firstMs + A_DAY_BEFORE <= server.expiresMs ? server.expiresMs : firstMs + DAY;
}

/**
 * When a suspended server is warned about and deleted (behaviour 6.5). The grace counts from the suspension, not from
 * the expiry, so that our own downtime never shortens it; at least a day in which we were up lies between warning and
 * deletion. Null before the suspension was noted.
 */
export function deletionPlan(
  expiresMs: number,
  sent: readonly ServerReminder[],
  graceDays: number,
  downtimes: readonly Downtime[] = [],
): { warnMs: number; deleteMs: number; warned: boolean } | null {
  const at = (kind: ReminderKind) => sent.find((notice) => notice.kind === kind && notice.periodMs === expiresMs)?.atMs;
  const suspended = at('suspended');
  if (suspended === undefined) return null;
  const deadline = suspended + Math.max(1, graceDays) * DAY;
  const backMs = backSince(downtimes, deadline);
  const warning = at('deleteWarning');
  const announced = Math.max(deadline, (warning ?? deadline - DAY) + DAY);
  const warned = warning !== undefined && (warning >= backMs || !missedFor(announced, backMs));
  return { warnMs: deadline - DAY, deleteMs: announced, warned };
}

/** Estimated ms until an entry at this position (1 = next) is ready, with so many under construction, so many at a time. */
export function estimateMs(position: number, building: number, buildMs: number, width: number = QUEUE.width): number {
  const ahead = position - 1 + building;
  return (Math.floor(ahead / width) + 1) * buildMs;
}

/** How long a build takes: the average of the latest, else the panel's word, else a minute. */
export function typicalBuildMs(latest: readonly number[], panelMs: number | null): number {
  if (latest.length === 0) return panelMs === null ? QUEUE.fallbackMs : Math.max(SECOND, panelMs);
  return Math.max(SECOND, Math.round(latest.reduce((sum, ms) => sum + ms, 0) / latest.length));
}

/** Servers under construction at the same time at a panel. */
export const buildSlots = (panel: string | null): number => (panel === null ? QUEUE.width : QUEUE.panelWidth);

/** Pause until an installation is polled for the first time: a real one takes longer than the embedded one. */
export function firstPollMs(panel: string | null): number {
  return panel === null ? pollPauseMs(0) : POLL_BOUNDS_MS[0];
}

/** Bounds of the pause between two polls of an installation at a real panel, where all that are due share a call. */
const POLL_BOUNDS_MS = [5 * SECOND, MINUTE] as const;
/** Pause until an installation is polled again: at a real panel half of what it has lasted, within the bounds. */
export function pollPauseMs(ageMs: number, panel: string | null = null): number {
  const [least, most] = panel === null ? QUEUE.pollMs : POLL_BOUNDS_MS;
  return Math.min(most, Math.max(least, Math.round(ageMs / (panel === null ? 4 : 2))));
}
