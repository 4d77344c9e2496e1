import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Card } from '#client/ui/card.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { PaymentsElsewhere } from '#client/ui/payments-elsewhere.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { ORDER_SHAPES } from '../parts/orders.ts';
import type { TabData, UserData } from './edit.tsx';

type Listed = NonNullable<TabData['payments']>;

/** The user's orders, the newest first; more than a page of them are under Payments. */
export function PaymentsTab({ user, payments }: { user: UserData; payments: Listed }): ReactNode {
  const t = useT('userDetails');
  const { rows, paging, elsewhere } = payments;
  return (
    <div className="sp-stack">
      <Card
        title={t('payments')}
        count={paging.total}
        flush={rows.length > 0}
        {...(paging.total > rows.length
          ? {
              foot: (
                <TextLink to={`${href('admin.payments.list')}?q=${encodeURIComponent(user.username)}`}>
                  {t('allPayments')}
                </TextLink>
              ),
            }
          : {})}
      >
        {rows.length === 0 ? (
          <p className="sp-lead">{t('noPayments')}</p>
        ) : (
          <List label={t('payments')}>
            {rows.map((order) => (
              <OrderItem key={order.id} order={order} />
            ))}
          </List>
        )}
      </Card>
      <PaymentsElsewhere payments={elsewhere} />
    </div>
  );
}

function OrderItem({ order }: { order: Listed['rows'][number] }): ReactNode {
  const t = useT('payments');
  const format = useFormat();
  const money = useMoney();
  const { permissions } = useShell().session;
  const name = order.label ?? t('customAmount');
  const facts = [
    money(order.amount, order.currency),
    t(`provider.${order.provider}`),
    format.dateTime(order.created_at),
  ];
  return (
    <ListItem
      icon="receipt"
      title={
        can(permissions, 'admin.payments.view') ? (
          <TextLink to={href('admin.payments.view', { id: order.id })}>{name}</TextLink>
        ) : (
          name
        )
      }
      text={facts.join(' · ')}
      end={<Status shape={ORDER_SHAPES[order.state]}>{t(`state.${order.state}`)}</Status>}
    />
  );
}
