/** From when (inclusive) to when (exclusive), UTC ms. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}
/** By what tickets are told apart: all are one, by department, by who of staff takes care of them. */
export type ReportKey = 'all' | 'department' | 'assignee';

/** Figures of tickets in a span. Those that were merged into others are left out. */
export interface TicketFigures {
  /** Id of the department or of the member of staff; '' of all, and of those of which nobody takes care. */
  readonly key: string;
  /** Its name; null: it is gone, or there is none. */
  readonly name: string | null;
  /** Opened in the span, and how many of those were answered. */
  readonly opened: number;
  readonly answered: number;
  /** Closed in the span. */
  readonly resolved: number;
  /** The middle of the times to the first answer of those opened, and from opening to closing of those closed (ms). */
  readonly answerMs: number | null;
  readonly resolveMs: number | null;
  /** Rated in the span, and how many of those with four or five. */
  readonly rated: number;
  readonly satisfied: number;
}

export interface TicketReportsRepo {
  /** In the order of their names. */
  figures(span: Span, key: ReportKey): Promise<TicketFigures[]>;
  /** How many were opened and closed in each of some spans. */
  flow(spans: readonly Span[]): Promise<{ readonly opened: number; readonly resolved: number }[]>;
}
