import type { ScheduleOutcome, ScheduleStep, ScheduleTiming } from '#shared/schemas/server-schedules.ts';

/**
 * The first moment after another at which a schedule comes round, both UTC ms; in the time zone of an IANA name. What
 * is due at a time that clocks skip comes when they have gone on; at one that comes twice, the first time.
 */
export type NextTime = (timing: ScheduleTiming, timeZone: string, afterMs: number) => number;

/** A run of a schedule that is not over. */
export interface ScheduleRun {
  /** UUID; the backup that it makes has it as well. */
  readonly id: string;
  /** The moment it was due, UTC ms. */
  readonly atMs: number;
  /** Index of the step that is next, when that is due, and whether it was begun: it may have been carried out then. */
  readonly step: number;
  readonly dueMs: number;
  readonly begun: boolean;
  /** Index of the first step that nobody answered. */
  readonly unconfirmed: number | null;
}
export interface ServerSchedule {
  readonly id: string;
  readonly serverId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly onlyOnline: boolean;
  readonly timing: ScheduleTiming;
  /** IANA name. */
  readonly timeZone: string;
  readonly steps: readonly ScheduleStep[];
  /** Null while it is off. */
  readonly nextMs: number | null;
  readonly run: ScheduleRun | null;
  /** The last run that is over: when it was due, and the index of the step that its end is about. */
  readonly last: { readonly atMs: number; readonly outcome: ScheduleOutcome; readonly step: number | null } | null;
  readonly createdMs: number;
}

/** Schedules of servers, in the database. */
export interface ServerSchedulesRepo {
  /** Those of a server, the oldest first. */
  list(serverId: string): Promise<ServerSchedule[]>;
  find(id: string): Promise<ServerSchedule | null>;
  /** Reads one and locks it until the transaction ends. */
  lock(id: string): Promise<ServerSchedule | null>;
  add(schedule: ServerSchedule): Promise<void>;
  update(schedule: ServerSchedule): Promise<void>;
  remove(id: string): Promise<void>;
  removeAllOf(serverId: string): Promise<void>;
  /** Ids of those that are due at a moment, the longest due first. */
  listDue(nowMs: number, limit: number): Promise<string[]>;
}
