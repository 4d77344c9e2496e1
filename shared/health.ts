/** What a check can say, from the best to the worst. `unknown`: the check itself could not find out. */
export const HEALTH_STATUSES = ['ok', 'unknown', 'warning', 'critical'] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

/**
 * Every check of the installation's health, in the order in which they are shown (behaviour 8.7). One key is one row,
 * or one row a subject (a panel). Texts: locale namespace `health`, `check.<key>`.
 */
export const HEALTH_CHECKS = [
  'ledger',
  'database',
  'migrations',
  'size',
  'jobs',
  'queue',
  'panels',
  'node',
  'redis',
  'processes',
  'mail',
  'ticketMail',
  'discordRoles',
  'backup',
  'imageStorage',
  'virusScanner',
  'disk',
  'memory',
  'loop',
  'clock',
  'certificate',
  'challenge',
  'version',
] as const;
export type HealthKey = (typeof HEALTH_CHECKS)[number];

/**
 * How a fact is written: `bytes` 412 MB, `ms` 2 ms or 3 min, `count` 1,284, `share` (0 to 1) 91 %, `time` (UTC ms) 17
 * Nov, `text` as it is.
 */
export const HEALTH_UNITS = ['bytes', 'ms', 'count', 'share', 'time', 'text'] as const;
type HealthUnit = (typeof HEALTH_UNITS)[number];

/** A value that a text of a finding names. */
export interface HealthFact {
  readonly unit: HealthUnit;
  readonly value: number | string;
}
export type HealthFacts = Readonly<Record<string, HealthFact>>;

/** How bad a status is: 0 is the best. */
export function healthRank(status: HealthStatus): number {
  return HEALTH_STATUSES.indexOf(status);
}

/** The worst of some statuses; `ok` where there are none. */
export function worstHealth(statuses: readonly HealthStatus[]): HealthStatus {
  return HEALTH_STATUSES[Math.max(0, ...statuses.map(healthRank))] ?? 'ok';
}
