import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Status } from '#client/ui/status.tsx';
import { href } from '#shared/routes/staff-href.ts';
import { amountText, SERVER_KINDS, SERVER_SHAPES, ServerName } from '../parts/servers.tsx';
import type { TabData, UserData } from './edit.tsx';

type Listed = NonNullable<TabData['servers']>;

/** The user's servers, the newest first; more than a page of them are under Servers. */
export function ServersTab({ user, servers }: { user: UserData; servers: Listed }): ReactNode {
  const t = useT('userDetails');
  const { rows, paging } = servers;
  return (
    <Card
      title={t('servers')}
      count={paging.total}
      flush={rows.length > 0}
      {...(paging.total > rows.length
        ? {
            foot: (
              <TextLink to={`${href('admin.servers.list')}?q=${encodeURIComponent(user.username)}`}>
                {t('allServers')}
              </TextLink>
            ),
          }
        : {})}
    >
      {rows.length === 0 ? (
        <p className="sp-lead">{t('noServers')}</p>
      ) : (
        <List label={t('servers')}>
          {rows.map((server) => (
            <ServerItem key={server.id} server={server} />
          ))}
        </List>
      )}
    </Card>
  );
}

function ServerItem({ server }: { server: Listed['rows'][number] }): ReactNode {
  const t = useT('userDetails');
  const texts = useT('staffServers');
  const format = useFormat();
  const kinds = SERVER_KINDS.slice(0, 3).map((kind) => amountText(kind, server.resources[kind], format));
  const until = server.expires_at === null ? [] : [t('serverUntil', { date: format.date(server.expires_at) })];
  return (
    <ListItem
      icon="server"
      title={<ServerName server={server} />}
      text={[server.location.name, ...kinds, ...until].join(' · ')}
      end={<Status shape={SERVER_SHAPES[server.state]}>{texts(`state.${server.state}`)}</Status>}
    />
  );
}
