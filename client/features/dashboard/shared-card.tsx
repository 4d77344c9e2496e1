import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { href } from '#shared/routes/href.ts';
import type { DashboardData } from './screen.tsx';

/** Servers of others that the visitor works on; nothing where there are none. */
export function SharedCard({ shared }: { shared: DashboardData['shared'] }): ReactNode {
  const t = useT('dashboard');
  const words = useT('servers');
  const format = useFormat();
  if (shared.length === 0) return null;
  return (
    <Card title={t('shared')} flush count={format.number(shared.length)}>
      <List label={t('shared')}>
        {shared.map(({ id, name, owner, egg, state }) => (
          <ListItem
            key={id}
            icon="users"
            title={name}
            text={[t('sharedBy', { name: owner }), egg.name].filter(Boolean).join(' · ')}
            end={<span className="sp-meta">{words(`state.${state}`)}</span>}
            to={href('server.shared', { id })}
          />
        ))}
      </List>
    </Card>
  );
}
