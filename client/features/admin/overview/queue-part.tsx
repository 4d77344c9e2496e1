import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Card } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { can } from '#shared/can.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { href } from '#shared/routes/staff-href.ts';
import { PartBody } from './part-body.tsx';
import type { OverviewData } from './screen.tsx';

type Queue = NonNullable<Awaited<OverviewData['queue']>>;

/** The entries that wait, the newest first, and since when. */
export function QueuePart({ value }: { value: NonNullable<OverviewData['queue']> }): ReactNode {
  const t = useT('admin');
  return (
    <Card
      title={t('part.queue')}
      flush
      aside={
        <LinkButton to={href('admin.serverQueue.list')} size="sm" variant="ghost" iconEnd="arrow-right">
          {t('openQueue')}
        </LinkButton>
      }
    >
      <PartBody value={value} rows={3}>
        {(data) => <Rows data={data} />}
      </PartBody>
    </Card>
  );
}

function Rows({ data: { rows, counts } }: { data: Queue }): ReactNode {
  const t = useT('admin');
  const format = useFormat();
  const nowMs = useNow(60_000);
  const opens = can(useShell().session.permissions, 'admin.server.queue.view');
  if (rows.length === 0)
    return (
      <EmptyState art="circle-check" title={t('queueEmpty')} text={t('queueBuilding', { count: counts.building })} />
    );
  return (
    <List label={t('part.queue')}>
      {rows.map(({ id, server, owner, created_at: at }) => (
        <ListItem
          key={id}
          title={server.name}
          text={owner.username}
          end={<time dateTime={at}>{format.relative(at, nowMs)}</time>}
          {...(opens ? { to: href('admin.serverQueue.view', { id }) } : {})}
        />
      ))}
    </List>
  );
}
