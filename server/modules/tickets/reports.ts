import type { SettingValues } from '#shared/settings.ts';
import { dayIn } from '#shared/time.ts';
import { startOfDay } from '#shared/zoned.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { LongReads } from '../tx.ts';
import type { Span, TicketFigures } from './reports-ports.ts';

interface Deps {
  readonly long: LongReads;
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
}
export type TicketReports = ReturnType<typeof createTicketReports>;

/** How quickly tickets are answered and resolved, and what their users think of it (behaviour 7.3). */
export function createTicketReports({ long, clock, settings }: Deps) {
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
   * Figures of some days up to now, as a whole, by department and by who of staff takes care of the tickets, with what
   * was opened and closed each day. In: how many days (1 to 90). Throws FORBIDDEN.
   */
  async function view(ctx: SignedIn, days: number) {
    assertMay(ctx, 'admin.tickets.list');
    const spans = spansOf(days);
    const whole = { fromMs: spans[0]?.fromMs ?? 0, toMs: spans.at(-1)?.toMs ?? 0 };
    const zone = settings.current().app_timezone;
    return long.read(
      async (tx) => {
        const [all] = await tx.ticketReports.figures(whole, 'all');
        return {
          days: spans.map(({ fromMs }) => dayIn(fromMs, zone)),
          flow: await tx.ticketReports.flow(spans),
          all: all ?? NOTHING,
          departments: await tx.ticketReports.figures(whole, 'department'),
          staff: await tx.ticketReports.figures(whole, 'assignee'),
        };
      },
      { for: 'visitor' },
    );
  }

  return { view };
}

const NOTHING: TicketFigures = {
  key: '',
  name: null,
  opened: 0,
  answered: 0,
  resolved: 0,
  answerMs: null,
  resolveMs: null,
  rated: 0,
  satisfied: 0,
};
