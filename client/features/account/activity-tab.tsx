import type { ReactNode } from 'react';
import { useDeviceText } from '#client/lib/device-text.ts';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Card } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { PastPager } from './past-pager.tsx';
import type { AccountData } from './screen.tsx';

type Activity = NonNullable<AccountData['activity']>;

/** What was done to the account, from where and with what (behaviour 3.8). */
export function ActivityTab({ activity, first }: { activity: Activity; first: boolean }): ReactNode {
  const t = useT('activity');
  return (
    <Card title={t('title')} text={t('text')} flush>
      {activity.rows.length === 0 ? (
        <EmptyState as="h3" title={t('empty')} text={t('emptyText')} />
      ) : (
        <List label={t('title')}>
          {activity.rows.map((row) => (
            <ActivityRow key={row.id} row={row} />
          ))}
        </List>
      )}
      <PastPager tab="activity" first={first} older={activity.older} />
    </Card>
  );
}

function ActivityRow({ row }: { row: Activity['rows'][number] }): ReactNode {
  const t = useT('activity');
  const text = useLooseT('activity');
  const format = useFormat();
  const now = useNow(60_000);
  const device = useDeviceText()(row.device ?? '');
  const facts = [device, row.address ?? '', row.own ? '' : t('others')].filter((fact) => fact !== '').join(' · ');
  return (
    <ListItem
      icon={row.own ? 'user' : 'shield'}
      title={text([`action.${row.action.replaceAll('.', '_')}`, 'action.other'])}
      text={facts}
      end={
        <time className="sp-muted" dateTime={row.at} title={format.dateTime(row.at)}>
          {format.when(row.at, now)}
        </time>
      }
    />
  );
}
