import type { ReactNode } from 'react';
import { useLoaderData, useSearchParams } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import type { WebhookRow } from '#shared/contract/webhooks.ts';
import { href } from '#shared/routes/staff-href.ts';
import { ENDPOINT_KINDS } from '#shared/webhooks.ts';
import { PluginOff, WebhookStatus } from './parts.tsx';

/** Every endpoint: there are few. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminWebhooks.list();
}

/** /mc-admin/webhooks (behaviour 8.8) */
export default function WebhooksScreen(): ReactNode {
  const t = useT('webhooks');
  const { rows, on } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const columns = useColumns();
  useLive(['webhooks']);
  const create = can(useShell().session.permissions, 'admin.plugins.edit') ? (
    <>
      <LinkButton to={`${href('admin.webhooks.create')}?kind=discord`} icon="plus">
        {t('createDiscord')}
      </LinkButton>
      <LinkButton to={href('admin.webhooks.create')} variant="primary" icon="plus">
        {t('create')}
      </LinkButton>
    </>
  ) : undefined;
  return (
    <Page>
      <PageHead title={t('list')} text={t('listText')} crumbs={useCrumbs()} actions={create} />
      <p className="sp-meta">
        <TextLink to={href('docs.webhooks')}>{t('docs')}</TextLink>
      </p>
      {ENDPOINT_KINDS.map(
        (kind) => !on[kind] && rows.some((row) => row.kind === kind) && <PluginOff key={kind} kind={kind} />,
      )}
      {!on.standard && !on.discord && rows.length === 0 && <PluginOff kind="standard" />}
      {search.get('done') === 'delete' && (
        <Banner tone="positive" live>
          {t('deleted')}
        </Banner>
      )}
      <Card flush>
        <DataTable
          phone="lines"
          caption={t('list')}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.name}
          state={<EmptyState as="h2" art="link" title={t('empty')} text={t('emptyText')} />}
        />
      </Card>
    </Page>
  );
}

function useColumns(): readonly Column<WebhookRow>[] {
  const t = useT('webhooks');
  const format = useFormat();
  return [
    {
      key: 'name',
      label: t('name'),
      title: true,
      wrap: true,
      cell: ({ id, kind, name, url }) => (
        <span className="sp-hooks__name">
          <TextLink to={href('admin.webhooks.view', { id })}>{name}</TextLink>
          <small>{kind === 'discord' ? t('kind') : new URL(url).host}</small>
        </span>
      ),
    },
    { key: 'state', label: t('stateLabel'), phone: 'lead', cell: (row) => <WebhookStatus webhook={row} /> },
    {
      key: 'waiting',
      label: t('waiting'),
      align: 'end',
      phone: 'labelled',
      cell: ({ waiting }) => format.number(waiting),
    },
    { key: 'failed', label: t('failed'), align: 'end', phone: 'labelled', cell: ({ failed }) => format.number(failed) },
    {
      key: 'delivered',
      label: t('lastDelivered'),
      hideOnPhone: true,
      cell: ({ delivered_at: at }) => (at === null ? '–' : <time dateTime={at}>{format.dateTime(at)}</time>),
    },
  ];
}
