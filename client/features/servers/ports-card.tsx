import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Card } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';

/** The ports of a server, the primary first, and how many it was bought; nothing where none is known. */
export function PortsCard({ ports, bought }: { ports: readonly string[]; bought: number }): ReactNode {
  const t = useT('servers');
  if (ports.length === 0) return null;
  return (
    <Card
      title={t('kind.ports')}
      flush
      {...(ports.length < bought ? { text: t('ports.missing', { known: ports.length, bought }) } : {})}
    >
      <List label={t('kind.ports')}>
        {ports.map((address, index) => (
          <ListItem
            key={address}
            title={<CopyButton text={address} what={address} />}
            end={index === 0 && ports.length > 1 && <Badge>{t('ports.primary')}</Badge>}
          />
        ))}
      </List>
    </Card>
  );
}
