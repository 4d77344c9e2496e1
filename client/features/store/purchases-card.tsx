import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import type { IconName } from '#client/ui/icons.ts';
import { List, ListItem } from '#client/ui/list.tsx';
import type { ResourceKind } from '#shared/constants.ts';
import { amountText } from './amounts.ts';
import type { StoreData } from './screen.tsx';

const ICONS: Readonly<Record<ResourceKind, IconName>> = {
  memory: 'memory',
  disk: 'disk',
  cpu: 'cpu',
  slots: 'server',
  ports: 'network',
  databases: 'database',
  backups: 'archive',
};

/** What the visitor bought, the newest first. */
export function PurchasesCard({ purchases }: { purchases: StoreData['purchases'] }): ReactNode {
  const t = useT('store');
  const format = useFormat();
  const now = useNow(60_000);
  if (purchases.length === 0) {
    return (
      <Card title={t('purchases')}>
        <p className="sp-lead">{t('noPurchases')}</p>
      </Card>
    );
  }
  return (
    <Card title={t('purchases')} flush>
      <List>
        {purchases.map(({ id, kind, quantity, total, at, refunded }) => (
          <ListItem
            key={id}
            icon={ICONS[kind]}
            title={
              <>
                {`${t(`kind.${kind}`)} +${amountText(kind, quantity, format)}`}
                {refunded && <Badge>{t('refunded')}</Badge>}
              </>
            }
            text={<time dateTime={at}>{format.when(at, now)}</time>}
            end={<CreditAmount value={-total} variant="signed" />}
          />
        ))}
      </List>
    </Card>
  );
}
