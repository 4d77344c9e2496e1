import type { ReactNode } from 'react';
import { Deferred } from '#client/lib/deferred.tsx';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Card, Facts } from '#client/ui/card.tsx';
import { ErrorState } from '#client/ui/empty-state.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { SkeletonRows } from '#client/ui/skeleton.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { OverviewData } from './screen.tsx';
import { TICKETS_COUNTED } from '#shared/tickets.ts';

type Summary = NonNullable<Awaited<OverviewData['support']>>;

/** How many tickets wait and for how long, and how soon those closed today were answered. */
export function SupportPart({ value }: { value: NonNullable<OverviewData['support']> }): ReactNode {
  const t = useT('admin');
  const ui = useT('ui');
  const opens = can(useShell().session.permissions, 'admin.tickets.list');
  return (
    <Card
      title={t('part.support')}
      aside={
        opens ? (
          <LinkButton to={href('admin.tickets.list')} size="sm" variant="ghost" iconEnd="arrow-right">
            {t('openTickets')}
          </LinkButton>
        ) : undefined
      }
    >
      <Deferred value={value} fallback={<SkeletonRows rows={3} label={ui('loading')} />} failed={<ErrorState />}>
        {(data) => (data === null ? <ErrorState /> : <Figures data={data} />)}
      </Deferred>
    </Card>
  );
}

function Figures({ data }: { data: Summary }): ReactNode {
  const t = useT('admin');
  const format = useFormat();
  const nowMs = useNow(60_000);
  const counted = (count: number): string =>
    count >= TICKETS_COUNTED ? `${format.number(TICKETS_COUNTED - 1)}+` : format.number(count);
  return (
    <Facts
      items={[
        { label: t('ticketsOpen'), value: counted(data.open) },
        { label: t('ticketsUnassigned'), value: counted(data.unassigned) },
        {
          label: t('ticketsOldest'),
          value: data.oldest_since === null ? '–' : format.relative(data.oldest_since, nowMs),
        },
        { label: t('ticketsClosed'), value: format.number(data.closed_today) },
        { label: t('ticketsAnswer'), value: data.answer_ms === null ? '–' : format.duration(data.answer_ms) },
      ]}
    />
  );
}
