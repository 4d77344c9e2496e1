/** What is measured of a server: bytes, tenths of a percent of one core, bytes, bytes a second. */
export const USAGE_KINDS = ['memory', 'cpu', 'disk', 'received', 'sent'] as const;
/** One measurement, in whole numbers. */
export type UsageFigures = Readonly<Record<(typeof USAGE_KINDS)[number], number>>;

/** A server while it ran, within an hour. */
interface UsageHour {
  /** Its beginning, UTC ms. */
  readonly hourMs: number;
  readonly average: UsageFigures;
  readonly highest: UsageFigures;
}

/** Usage of servers by hour. */
export interface ServerUsageRepo {
  /** Adds a measurement to the hour of each of these servers, each of them once. */
  add(hourMs: number, servers: readonly { readonly serverId: string; readonly figures: UsageFigures }[]): Promise<void>;
  /** The hours of a server in which it ran, from a moment on, the oldest first. */
  list(serverId: string, fromMs: number): Promise<UsageHour[]>;
  /** Deletes at most `limit` hours that began before a moment; how many it found. */
  purge(beforeMs: number, limit: number): Promise<number>;
}
