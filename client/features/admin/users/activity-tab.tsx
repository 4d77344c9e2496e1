import type { ReactNode } from 'react';
import { useDeviceText } from '#client/lib/device-text.ts';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Card } from '#client/ui/card.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { href } from '#shared/routes/staff-href.ts';
import type { TabData, UserData } from './edit.tsx';

type Activity = NonNullable<TabData['activity']>;

/** What the user did and what was done to the account, by whom and from where. */
export function ActivityTab(props: { user: UserData; activity: Activity; isFirst: boolean }): ReactNode {
  const { user, activity, isFirst } = props;
  const t = useT('userDetails');
  const ui = useT('ui');
  const to = `${href('admin.users.edit', { id: user.id })}?tab=activity`;
  return (
    <Card title={t('activity')} text={t('activityText')} flush={activity.rows.length > 0}>
      {activity.rows.length === 0 ? (
        <p className="sp-lead">{t('noActivity')}</p>
      ) : (
        <List label={t('activity')}>
          {activity.rows.map((row) => (
            <ActivityItem key={row.id} row={row} username={user.username} />
          ))}
        </List>
      )}
      {(!isFirst || activity.older !== null) && (
        <nav className="sp-pager" aria-label={ui('pager')}>
          {!isFirst && (
            <LinkButton to={to} variant="ghost" size="sm">
              {ui('newest')}
            </LinkButton>
          )}
          {activity.older !== null && (
            <LinkButton to={`${to}&before=${activity.older}`} variant="ghost" size="sm" iconEnd="chevron-right">
              {ui('older')}
            </LinkButton>
          )}
        </nav>
      )}
    </Card>
  );
}

function ActivityItem({ row, username }: { row: Activity['rows'][number]; username: string }): ReactNode {
  const t = useT('userDetails');
  const format = useFormat();
  const now = useNow(60_000);
  const device = useDeviceText()(row.device ?? '');
  const by = row.by ?? t('bySystem');
  const title = useTitle(row, by, username);
  const facts = [by, device, row.address ?? ''].filter((fact) => fact !== '');
  return (
    <ListItem
      icon={row.own ? 'user' : 'shield'}
      title={title}
      text={facts.join(' · ')}
      end={
        <time className="sp-muted" dateTime={row.at} title={format.dateTime(row.at)}>
          {format.when(row.at, now)}
        </time>
      }
    />
  );
}

/** What happened, in words. What a member of staff did reads as in the audit log. */
function useTitle({ action, own, target }: Activity['rows'][number], actor: string, username: string): string {
  const ofAccount = useLooseT('activity');
  const ofStaff = useLooseT('admin');
  const key = action.replaceAll('.', '_');
  const byStaff = own && !action.startsWith('account.');
  const ofOwnAccount = byStaff ? '' : ofAccount(`action.${key}`);
  return (
    ofOwnAccount ||
    ofStaff([`activity.${key}`, 'activity.other'], { actor, target: byStaff ? (target ?? '') : username, action })
  );
}
