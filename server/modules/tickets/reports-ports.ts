/** From when (inclusive) to when (exclusive), UTC ms. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}
/**
 * How many tickets took how long: minutes, as text, to how many. Up to two hours they are whole minutes, up to a day
 * steps of ten, up to a week whole hours, then whole days.
 */
export type Durations = Readonly<Record<string, number>>;

/** What happened in a span to the tickets of a department of which somebody takes care. Merged ones are left out. */
export interface SpanFigures {
  readonly department: string;
  /** '' where nobody does. */
  readonly assignee: string;
  /** Opened in the span. */
  readonly opened: number;
  /** Of those opened in it, how many have an answer, and how long the first one took. */
  readonly answered: number;
  readonly answers: Durations;
  /** Closed in it, and how long those were open. */
  readonly resolved: number;
  readonly resolutions: Durations;
  /** Rated in it, and how many of those with four or five. */
  readonly rated: number;
  readonly satisfied: number;
}

/** Figures of a day that were counted once. `version`: how often. */
export interface KeptDay extends Span {
  readonly version: number;
  readonly figures: readonly SpanFigures[];
}

/** Says that something of the day in which a time lies has changed since. */
export interface ReportMark {
  readonly id: string;
  readonly atMs: number;
}

export interface TicketReportsRepo {
  /** Counts from the tickets themselves. */
  count(span: Span): Promise<SpanFigures[]>;
  /** Days that are kept and begin in a span. */
  listDays(span: Span): Promise<KeptDay[]>;
  /** Some of the marks of a span, those of the oldest times. */
  listMarks(span: Span, limit: number): Promise<ReportMark[]>;
  /**
   * Keeps a day that was counted when it had `version` (0: it was not kept), and deletes the marks that were seen
   * before. Nothing happens where somebody else has kept it meanwhile.
   */
  keepDay(day: KeptDay, marks: readonly ReportMark[]): Promise<void>;
  /** Deletes the days and marks before a span, and the marks after it. */
  forgetOutside(span: Span): Promise<void>;
  /** Names of departments or of staff, by id. */
  names(by: 'department' | 'assignee', ids: readonly string[]): Promise<Map<string, string>>;
}
