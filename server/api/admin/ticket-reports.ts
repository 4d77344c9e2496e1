import { toCsv } from '#server/api/csv.ts';
import type { Handlers } from '#server/http/implement.types.ts';
import type { TicketFigures, TicketReports } from '#server/modules/tickets/index.ts';
import type { adminTicketReports } from '#shared/contract/ticket-reports.ts';
import { TICKET_REPORT_DAYS } from '#shared/tickets.ts';

const toDays = (text: string = TICKET_REPORT_DAYS[1]): number => Number(text);

const toFiguresView = ({ opened, answered, resolved, answerMs, resolveMs, rated, satisfied }: TicketFigures) => ({
  opened,
  answered,
  resolved,
  answer_ms: answerMs,
  resolve_ms: resolveMs,
  rated,
  satisfied,
});
const toRow = (figures: TicketFigures) => ({ id: figures.key, name: figures.name, ...toFiguresView(figures) });
const toMinutes = (ms: number | null): number | null => (ms === null ? null : Math.round(ms / 60_000));

/** Reports of tickets, and the same as a file. */
export function ticketReportsHandlers({
  ticketReports,
}: {
  readonly ticketReports: TicketReports;
}): Handlers<typeof adminTicketReports> {
  return {
    async get(ctx, { query }) {
      const { days, byDay, all, departments, staff } = await ticketReports.view(ctx, toDays(query.days), query);
      return {
        days,
        opened: byDay.map(({ opened }) => opened),
        resolved: byDay.map(({ resolved }) => resolved),
        answer_ms: byDay.map(({ answerMs }) => answerMs),
        resolve_ms: byDay.map(({ resolveMs }) => resolveMs),
        rated: byDay.map(({ rated }) => rated),
        satisfied: byDay.map(({ satisfied }) => satisfied),
        all: toFiguresView(all),
        departments: departments.map(toRow),
        staff: staff.map(toRow),
      };
    },
    async export(ctx, { query }) {
      const { days, departments, staff } = await ticketReports.view(ctx, toDays(query.days));
      const toCells = (kind: string) => (row: TicketFigures) => [
        kind,
        row.name ?? row.key,
        row.opened,
        row.answered,
        row.resolved,
        toMinutes(row.answerMs),
        toMinutes(row.resolveMs),
        row.rated,
        row.satisfied,
      ];
      const head = [
        'kind',
        'name',
        'opened',
        'answered',
        'resolved',
        'first_answer_minutes',
        'resolution_minutes',
        'rated',
        'satisfied',
      ];
      const body = toCsv([head, ...departments.map(toCells('department')), ...staff.map(toCells('person'))]);
      return { filename: `tickets-${days[0] ?? ''}-${days.at(-1) ?? ''}.csv`, body };
    },
  };
}
