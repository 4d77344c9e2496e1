import type { ReactNode } from 'react';
import { useLoaderData, useLocation, useNavigation } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Bar, share } from '#client/ui/bar.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import type { MenuItem } from '#client/ui/menu.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import type { PanelView } from '#shared/contract/panels.ts';
import { href } from '#shared/routes/staff-href.ts';
import { useTimeText, usePanelState } from './texts.ts';

/** Every panel over HTTP. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminPanels.list({});
}

/** /mc-admin/panels (behaviour 6.7) */
export default function PanelsScreen(): ReactNode {
  const t = useT('panels');
  const { panels, driver } = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
  const { search, pathname } = useLocation();
  const navigation = useNavigation();
  const add = can(permissions, 'admin.panels.create') ? (
    <LinkButton to={href('admin.panels.create')} variant="primary" icon="plus">
      {t('create')}
    </LinkButton>
  ) : undefined;
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} crumbs={useCrumbs()} {...(add ? { actions: add } : {})} />
      {new URLSearchParams(search).get('done') === 'delete' && (
        <Banner tone="positive" live>
          {t('removed')}
        </Banner>
      )}
      {driver === 'embedded' && panels.length > 0 && <Banner>{t('embeddedToo')}</Banner>}
      <Card flush>
        <DataTable
          phone="lines"
          caption={t('title')}
          columns={useColumns(can(permissions, 'admin.panels.edit'))}
          rows={panels}
          rowKey={(panel) => panel.id}
          rowName={(panel) => panel.name}
          rowMenu={useMenu()}
          state={
            <EmptyState
              as="h2"
              art="plug"
              title={t('empty')}
              text={t(driver === 'embedded' ? 'emptyEmbedded' : 'emptyText')}
              {...(add ? { action: add } : {})}
            />
          }
          busy={navigation.state === 'loading' && navigation.location.pathname === pathname}
        />
      </Card>
    </Page>
  );
}

function useMenu(): (panel: PanelView) => readonly MenuItem[] {
  const t = useT('panels');
  const { permissions } = useShell().session;
  return ({ id }) => [
    ...(can(permissions, 'admin.panels.edit')
      ? [
          { id: 'sync', label: t('catalogue'), icon: 'boxes' as const, to: href('admin.panels.sync', { id }) },
          { id: 'edit', label: t('edit'), icon: 'pencil' as const, to: href('admin.panels.edit', { id }) },
        ]
      : []),
    ...(can(permissions, 'admin.panels.delete')
      ? [
          {
            id: 'delete',
            label: t('remove'),
            icon: 'trash' as const,
            tone: 'danger' as const,
            to: href('admin.panels.delete', { id }),
          },
        ]
      : []),
  ];
}

function useColumns(mayEdit: boolean): readonly Column<PanelView>[] {
  const t = useT('panels');
  const stateOf = usePanelState();
  const moment = useTimeText();
  return [
    {
      key: 'name',
      label: t('name'),
      title: true,
      name: (panel) => panel.name,
      cell: (panel) => (
        <span className="sp-user-name">
          {mayEdit ? <TextLink to={href('admin.panels.edit', { id: panel.id })}>{panel.name}</TextLink> : panel.name}
          <span className="sp-muted sp-panel-url">{panel.url}</span>
        </span>
      ),
    },
    {
      key: 'state',
      phone: 'lead',
      label: t('stateLabel'),
      cell: (panel) => {
        const { shape, text } = stateOf(panel);
        return <Status shape={shape}>{text}</Status>;
      },
    },
    { key: 'dialect', label: t('kind'), hideOnPhone: true, cell: (panel) => t(`dialect.${panel.dialect}`) },
    { key: 'budget', label: t('budget'), cell: (panel) => <Budget health={panel.health} /> },
    {
      key: 'uses',
      label: t('servers'),
      align: 'end',
      hideOnPhone: true,
      cell: (panel) => <Count n={panel.uses.servers} />,
    },
    { key: 'news', label: t('catalogue'), cell: (panel) => <CatalogueNews panel={panel} mayEdit={mayEdit} /> },
    {
      key: 'checked',
      label: t('tested'),
      hideOnPhone: true,
      cell: (panel) =>
        panel.checked ? (
          <time dateTime={panel.checked.at}>{moment(panel.checked.at)}</time>
        ) : (
          <span className="sp-muted">{t('never')}</span>
        ),
    },
  ];
}

function Count({ n }: { n: number }): ReactNode {
  return <span className="sp-num">{useFormat().number(n)}</span>;
}

/** What is left of the panel's rate limit. */
export function Budget({ health }: { health: PanelView['health'] }): ReactNode {
  const format = useFormat();
  if (!health) return <span className="sp-muted">–</span>;
  const { left, limit } = health.budget;
  return (
    <span className="sp-mini">
      <span className="sp-num">
        {format.number(left)} <span className="sp-muted">/ {format.number(limit)}</span>
      </span>
      <Bar value={share(left, limit)} tone={left < limit / 10 ? 'warning' : 'quiet'} />
    </span>
  );
}

function CatalogueNews({ panel, mayEdit }: { panel: PanelView; mayEdit: boolean }): ReactNode {
  const t = useT('panels');
  const { fresh, changed, vanished } = panel.news;
  const badges = (
    <span className="sp-panel-news">
      {panel.synced?.state === 'failed' && <Badge tone="danger">{t('notRead')}</Badge>}
      {vanished > 0 && <Badge tone="danger">{t('news.vanished', { count: vanished })}</Badge>}
      {changed > 0 && <Badge tone="warning">{t('news.changed', { count: changed })}</Badge>}
      {fresh > 0 && <Badge tone="info">{t('news.fresh', { count: fresh })}</Badge>}
      {panel.syncing && <Badge>{t('reading')}</Badge>}
    </span>
  );
  if (fresh + changed + vanished === 0 && !panel.syncing && panel.synced?.state !== 'failed')
    return <span className="sp-muted">{t(panel.synced ? 'noNews' : 'never')}</span>;
  return mayEdit ? <TextLink to={href('admin.panels.sync', { id: panel.id })}>{badges}</TextLink> : badges;
}
