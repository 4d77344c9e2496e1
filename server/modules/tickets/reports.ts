import type { SettingValues } from '#shared/settings.ts';
import { dayIn, MINUTE } from '#shared/time.ts';
import { startOfDay } from '#shared/zoned.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { LongReads, Tx, UnitOfWork } from '../tx.ts';
import type { Durations, Span, SpanFigures } from './reports-ports.ts';

/** Days that a report can have at most: those are kept. */
const DAYS_KEPT = 90;
/** Marks that are read at once. Where there are more, the days from the last of them on are counted. */
const MARKS = 500;

interface Deps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
}
export type TicketReports = ReturnType<typeof createTicketReports>;

/** Figures of a department, of somebody of staff, or of all tickets. Those that were merged into others are left out. */
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

/** Whose tickets are counted; absent: those of all. */
interface Part {
  readonly department?: string | undefined;
  readonly person?: string | undefined;
}

/** How quickly tickets are answered and resolved, and what their users think of it (behaviour 7.3). */
export function createTicketReports({ uow, long, clock, settings }: Deps) {
  /** The running day of the host and those before it, the oldest first. */
  function spansOf(days: number): Span[] {
    const zone = settings.current().app_timezone;
    const spans: Span[] = [];
    for (let toMs = clock.now() + 1; spans.length < days;) {
      const fromMs = startOfDay(toMs - 1, zone);
      spans.unshift({ fromMs, toMs });
      toMs = fromMs;
    }
    return spans;
  }

  /**
   * Figures of some days up to now, day by day and as a whole, those of one department or one person where they are
   * named, and by department and by who of staff takes care of the tickets. In: how many days (1 to 90). Throws
   * FORBIDDEN.
   */
  async function view(ctx: SignedIn, days: number, { department, person }: Part = {}) {
    assertMay(ctx, 'admin.tickets.list');
    const spans = spansOf(days);
    const zone = settings.current().app_timezone;
    return long.read(
      async (tx) => {
        const byDay = await readDays(tx, spans);
        const figures = mergeFigures(byDay.flat());
        const isMeant = (each: SpanFigures): boolean =>
          (department === undefined || each.department === department) &&
          (person === undefined || each.assignee === person);
        const by = async (key: 'department' | 'assignee') => {
          const groups = Map.groupBy(figures, (each) => each[key]);
          const names = await tx.ticketReports.names(key, [...groups.keys()].filter(Boolean));
          return [...groups]
            .map(([id, some]) => toFigures(some, id, names.get(id) ?? null))
            .toSorted((a, b) => (a.name ?? '\uFFFF').localeCompare(b.name ?? '\uFFFF'));
        };
        return {
          days: spans.map(({ fromMs }) => dayIn(fromMs, zone)),
          byDay: byDay.map((day) => toFigures(day.filter(isMeant))),
          all: toFigures(figures.filter(isMeant)),
          departments: await by('department'),
          staff: await by('assignee'),
        };
      },
      { for: 'visitor' },
    );
  }

  /**
   * Counts the days before the running one that are not kept, or of which something has changed, and keeps them. For
   * the scheduler; it may run any number of times.
   */
  async function keepDays(): Promise<void> {
    const spans = spansOf(DAYS_KEPT + 1).slice(0, -1);
    for (const span of await long.read((tx) => staleDays(tx, spans), { for: 'job' })) {
      // What came after the marks were read has a mark of its own, which stays.
      const { marks, version, figures } = await long.read(
        async (tx) => ({
          marks: await tx.ticketReports.listMarks(span, MARKS),
          version: (await tx.ticketReports.listDays(span))[0]?.version ?? 0,
          figures: await tx.ticketReports.count(span),
        }),
        { for: 'job' },
      );
      await uow.run((tx) => tx.ticketReports.keepDay({ ...span, version, figures }, marks));
    }
    await uow.run((tx) => tx.ticketReports.forgetOutside(wholeOf(spans)));
  }

  return { view, keepDays };
}

const wholeOf = (spans: readonly Span[]): Span => ({
  fromMs: spans[0]?.fromMs ?? 0,
  toMs: spans.at(-1)?.toMs ?? 0,
});

/** Which of some days that lie one behind the other have marks. */
async function markedDays(tx: Tx, spans: readonly Span[]): Promise<Set<Span>> {
  const marks = await tx.ticketReports.listMarks(wholeOf(spans), MARKS);
  const lastMs = marks.length < MARKS ? Infinity : (marks.at(-1)?.atMs ?? 0);
  return new Set(
    spans.filter(({ fromMs, toMs }) => toMs > lastMs || marks.some(({ atMs }) => atMs >= fromMs && atMs < toMs)),
  );
}

/** The days of which nothing right is kept. */
async function staleDays(tx: Tx, spans: readonly Span[]): Promise<Span[]> {
  const marked = await markedDays(tx, spans);
  const kept = new Map((await tx.ticketReports.listDays(wholeOf(spans))).map((day) => [day.fromMs, day]));
  return spans.filter((span) => marked.has(span) || kept.get(span.fromMs)?.toMs !== span.toMs);
}

/** Figures of days: those that are kept, and the others counted. The marks are read first: they are made last. */
async function readDays(tx: Tx, spans: readonly Span[]): Promise<(readonly SpanFigures[])[]> {
  const marked = await markedDays(tx, spans);
  const kept = new Map((await tx.ticketReports.listDays(wholeOf(spans))).map((day) => [day.fromMs, day]));
  const found: (readonly SpanFigures[])[] = [];
  for (const span of spans) {
    const day = kept.get(span.fromMs);
    const isRight = day?.toMs === span.toMs && !marked.has(span);
    found.push(isRight ? day.figures : await tx.ticketReports.count(span));
  }
  return found;
}

/** Figures of many days by department and by who takes care: one each, so that every duration is looked at once. */
function mergeFigures(parts: readonly SpanFigures[]): SpanFigures[] {
  const groups = Map.groupBy(parts, ({ department, assignee }) => `${department} ${assignee}`);
  return [...groups.values()].flatMap((some) => {
    const [first] = some;
    return first ? [{ ...first, ...addUp(some) }] : [];
  });
}

const sumOf = (parts: readonly SpanFigures[], of: (part: SpanFigures) => number): number =>
  parts.reduce((total, part) => total + of(part), 0);

function addUp(parts: readonly SpanFigures[]): Omit<SpanFigures, 'department' | 'assignee'> {
  return {
    opened: sumOf(parts, ({ opened }) => opened),
    answered: sumOf(parts, ({ answered }) => answered),
    answers: addDurations(parts.map(({ answers }) => answers)),
    resolved: sumOf(parts, ({ resolved }) => resolved),
    resolutions: addDurations(parts.map(({ resolutions }) => resolutions)),
    rated: sumOf(parts, ({ rated }) => rated),
    satisfied: sumOf(parts, ({ satisfied }) => satisfied),
  };
}

function addDurations(parts: readonly Durations[]): Durations {
  const all: Record<string, number> = {};
  for (const part of parts) for (const minutes in part) all[minutes] = (all[minutes] ?? 0) + (part[minutes] ?? 0);
  return all;
}

function toFigures(parts: readonly SpanFigures[], key = '', name: string | null = null): TicketFigures {
  const { answers, resolutions, ...counts } = addUp(parts);
  return {
    key,
    name,
    ...counts,
    answerMs: middleOf(answers, counts.answered),
    resolveMs: middleOf(resolutions, counts.resolved),
  };
}

/** The middle one of some durations (ms); null: there is none. In: the durations, and how many they are. */
function middleOf(durations: Durations, count: number): number | null {
  let left = Math.floor((count + 1) / 2);
  for (const [minutes, n] of Object.entries(durations).toSorted(([a], [b]) => Number(a) - Number(b))) {
    left -= n;
    if (left <= 0) return Number(minutes) * MINUTE;
  }
  return null;
}
