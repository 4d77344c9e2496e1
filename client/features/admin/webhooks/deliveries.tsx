import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Tabs } from '#client/ui/tabs.tsx';
import type { DeliveryRow } from '#shared/contract/webhooks.ts';
import { href } from '#shared/routes/staff-href.ts';
import { DELIVERY_STATES, type DeliveryState } from '#shared/webhooks.ts';
import { DeliveryStatus } from './parts.tsx';
import type { WebhookData } from './view.tsx';

/** The address of a page of the list. */
function addressOf(id: string, state: DeliveryState | null, before = ''): string {
  const params = new URLSearchParams({
    ...(state === null ? {} : { state }),
    ...(before === '' ? {} : { before }),
  }).toString();
  return params === '' ? href('admin.webhooks.view', { id }) : `${href('admin.webhooks.view', { id })}?${params}`;
}

/** What was sent to an endpoint, or waits, the newest first. */
export function DeliveriesCard({ data: { webhook, rows, older, state, isFirst } }: { data: WebhookData }): ReactNode {
  const t = useT('webhooks');
  const columns = useColumns();
  const { id } = webhook;
  return (
    <div className="sp-stack">
      <Card title={t('deliveries')} flush>
        <Tabs
          label={t('deliveries')}
          items={[null, ...DELIVERY_STATES].map((each) => ({
            to: addressOf(id, each),
            label: t(each === null ? 'all' : `delivery.${each}`),
            current: each === state,
          }))}
        />
        <DataTable
          phone="lines"
          caption={t('deliveries')}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.event}
          state={<EmptyState as="h3" art="link" title={t('noDeliveries')} text={t('noDeliveriesText')} />}
        />
      </Card>
      <CursorPager
        words="time"
        first={isFirst ? null : addressOf(id, state)}
        previous={null}
        next={older === null ? null : addressOf(id, state, older)}
      />
    </div>
  );
}

function useColumns(): readonly Column<DeliveryRow>[] {
  const t = useT('webhooks');
  const format = useFormat();
  return [
    {
      key: 'event',
      label: t('event'),
      title: true,
      cell: ({ id, event }) => (
        <TextLink to={href('admin.webhooks.delivery', { id })}>
          <code>{event}</code>
        </TextLink>
      ),
    },
    { key: 'state', label: t('stateLabel'), phone: 'lead', cell: (row) => <DeliveryStatus delivery={row} /> },
    { key: 'tries', label: t('tries'), align: 'end', phone: 'labelled', cell: ({ tries }) => format.number(tries) },
    {
      key: 'at',
      label: t('happened'),
      cell: ({ created_at: at }) => <time dateTime={at}>{format.dateTime(at)}</time>,
    },
  ];
}
