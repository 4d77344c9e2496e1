import type { TicketLineView } from '#shared/contract/ticket-shapes.ts';
import type { TicketStatus } from '#shared/tickets.ts';
import { DAY } from '#shared/time.ts';
import { useFormat, useLooseT, useT } from './i18n.tsx';
import { useNow } from './use-now.ts';

/** Shapes of where tickets stand. */
export const TICKET_SHAPES = {
  open: 'queued',
  answered: 'active',
  waiting: 'expiring',
  on_hold: 'paused',
  closed: 'off',
} as const satisfies Record<TicketStatus, string>;

/** Where files of messages are read, by their users and by staff. */
export const OWN_FILES = '/api/ticket-attachments';
export const STAFF_FILES = '/api/admin/ticket-attachments';

/** A line of a ticket in words. */
interface LineText extends Pick<TicketLineView, 'id' | 'kind' | 'html' | 'at'> {
  readonly files: TicketLineView['attachments'];
  /** Who wrote it, as it is shown. */
  readonly name: string;
  /** Their username; '' where there is none. */
  readonly author: string;
  /** What stands beside the name; '' for nothing. */
  readonly tag: string;
  /** What happened; '' of a message. */
  readonly text: string;
  readonly time: string;
  /** That the other side has read up to it; '' for nothing. */
  readonly mark: string;
}

/**
 * The lines of a ticket in words. In: whether staff read them; its user is called "you" and hears where it stands from
 * their side; the number of the last line that the other side has read, and their name (null: staff).
 */
export function useTicketLines({
  isStaff,
  readSeq,
  reader,
}: {
  isStaff: boolean;
  readSeq: number;
  reader: string | null;
}): (lines: readonly TicketLineView[]) => readonly LineText[] {
  const t = useT('tickets');
  const format = useFormat();
  const eventText = useEventText(isStaff);
  const nowMs = useNow(60_000);
  const tags = { staff: t('support'), note: t('note'), user: '', event: '' };
  return (lines) => {
    const read = lines.findLast(({ kind, seq }) => kind === (isStaff ? 'staff' : 'user') && seq <= readSeq)?.seq;
    return lines.map((line) => ({
      id: line.id,
      kind: line.kind,
      html: line.html,
      files: line.attachments,
      at: line.at,
      name: line.own && !isStaff ? t('you') : (line.author ?? t('gone')),
      author: line.author ?? '',
      tag: tags[line.kind],
      text: eventText(line),
      // Of the last day it says today or yesterday, with the hour; what is older needs its date.
      time: nowMs - Date.parse(line.at) < DAY ? format.when(line.at, nowMs) : format.dateTime(line.at),
      mark: line.seq !== read ? '' : reader === null ? t('readBySupport') : t('readBy', { name: reader }),
    }));
  };
}

/** What happened, in words; '' of a message. */
function useEventText(isStaff: boolean): (line: TicketLineView) => string {
  const t = useT('tickets');
  const loose = useLooseT('tickets');
  return ({ event, author }) => {
    if (!event) return '';
    const name = author ?? t('support');
    const to = event.to ?? '';
    switch (event.what) {
      case 'priority':
        return t('event.priority', {
          name,
          from: loose(`priority.${event.from ?? ''}`),
          to: loose(`priority.${to}`),
        });
      case 'department':
        return t('event.department', { name, to });
      case 'assignee':
        if (to === '') return t('event.unassigned', { name });
        return to === author ? t('event.taken', { name }) : t('event.assigned', { name, to });
      case 'merged':
      case 'mergedFrom':
      case 'split':
      case 'splitFrom':
        return t(`event.${event.what}`, { name, to });
      case 'status':
        if (to === 'closed') return author === null ? t('event.closedAlone') : t('event.closed', { name });
        if (to === 'open') return t('event.reopened', { name });
        return t('event.status', { name, status: loose(`${isStaff ? 'staffStatus' : 'status'}.${to}`) });
    }
  };
}
