import type { ReactNode } from 'react';
import { Link, useLoaderData, useLocation, useNavigation } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { isFiltered, readList, writeSort, type ListSpec, type ListState } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar } from '#client/ui/filter-bar.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import type { MenuItem } from '#client/ui/menu.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import type { RoleView } from '#shared/contract/roles.ts';
import type { Permission } from '#shared/permissions.ts';
import { href } from '#shared/routes/staff-href.ts';
import { RoleName } from './parts.tsx';

const LIST: ListSpec = {
  sortable: ['name', 'rank', 'members', 'permissions'],
  defaultSort: { key: 'rank', dir: 'desc' },
  sizes: [100],
  filters: [],
};
const toQuery = ({ q, sort }: ListState) => ({ q: q.slice(0, 100), sort: writeSort(sort) });

/** Every role: an installation has a few. */
export async function loader(args: LoaderFunctionArgs) {
  const state = readList(new URL(args.request.url).search, LIST);
  return apiOf(args).adminRoles.list({ query: toQuery(state) });
}

/** /mc-admin/roles (behaviour 3.10) */
export default function RolesScreen(): ReactNode {
  const t = useT('roles');
  const ui = useT('ui');
  const { rows } = useLoaderData<typeof loader>();
  const { state, hrefOf } = useListState(LIST);
  const { pathname, search } = useLocation();
  const navigation = useNavigation();
  const named = new URLSearchParams(search).get('done');
  const done = (['create', 'edit', 'delete'] as const).find((each) => each === named);
  return (
    <Page>
      <PageHead title={t('title')} text={t('lead')} crumbs={useCrumbs()} actions={<Actions state={state} />} />
      {done && (
        <Banner tone="positive" live>
          {t(`done.${done}`)}
        </Banner>
      )}
      <Card flush>
        <FilterBar spec={LIST} state={state} hrefOf={hrefOf} searchLabel={t('search')} />
        <DataTable
          phone="lines"
          caption={t('title')}
          columns={useColumns()}
          rows={rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.name}
          rowMenu={useMenu()}
          sort={state.sort}
          sortHref={(sort) => hrefOf({ sort })}
          state={
            isFiltered(state) && <EmptyState as="h2" art="search" title={ui('noMatches')} text={ui('noMatchesHint')} />
          }
          busy={navigation.state === 'loading' && navigation.location.pathname === pathname}
        />
      </Card>
    </Page>
  );
}

const useMay = (): ((permission: Permission) => boolean) => {
  const { permissions } = useShell().session;
  return (permission) => can(permissions, permission);
};

function Actions({ state }: { state: ListState }): ReactNode {
  const t = useT('roles');
  const may = useMay();
  return (
    <>
      <LinkButton
        to={`/api/admin/roles/export.csv?${new URLSearchParams(toQuery(state)).toString()}`}
        variant="ghost"
        icon="download"
        reloadDocument
        download
      >
        {t('export')}
      </LinkButton>
      {may('admin.roles.create') && (
        <LinkButton to={href('admin.roles.create')} variant="primary" icon="plus">
          {t('create')}
        </LinkButton>
      )}
    </>
  );
}

function useMenu(): (role: RoleView) => readonly MenuItem[] {
  const t = useT('roles');
  const may = useMay();
  return ({ id, editable, is_default: isDefault }) => [
    ...(may('admin.permissions.list')
      ? [
          {
            id: 'permissions',
            label: t('permissions'),
            icon: 'shield' as const,
            to: href('admin.roles.permissions', { id }),
          },
        ]
      : []),
    ...(may('admin.roles.edit') && editable
      ? [{ id: 'edit', label: t('edit'), icon: 'pencil' as const, to: href('admin.roles.edit', { id }) }]
      : []),
    ...(may('admin.roles.create')
      ? [
          {
            id: 'copy',
            label: t('copy'),
            icon: 'copy' as const,
            to: `${href('admin.roles.create')}?like=${id}`,
          },
        ]
      : []),
    ...(may('admin.roles.delete') && editable && !isDefault
      ? [
          {
            id: 'delete',
            label: t('delete'),
            icon: 'trash' as const,
            tone: 'danger' as const,
            to: href('admin.roles.delete', { id }),
          },
        ]
      : []),
  ];
}

function useColumns(): readonly Column<RoleView>[] {
  const t = useT('roles');
  const format = useFormat();
  const may = useMay();
  const number = (n: number): ReactNode => <span className="sp-num">{format.number(n)}</span>;
  return [
    {
      key: 'name',
      label: t('name'),
      title: true,
      sort: 'asc',
      name: (role) => role.name,
      cell: ({ id, name, color, editable }) => {
        const shown = <RoleName name={name} color={color} />;
        return may('admin.roles.edit') && editable ? <Link to={href('admin.roles.edit', { id })}>{shown}</Link> : shown;
      },
    },
    {
      key: 'default',
      label: t('default'),
      phone: 'lead',
      cell: ({ is_default: isDefault }) => isDefault && <Badge tone="accent">{t('default')}</Badge>,
    },
    { key: 'rank', label: t('rank'), align: 'end', sort: 'desc', phone: 'labelled', cell: ({ rank }) => number(rank) },
    {
      key: 'members',
      label: t('members'),
      align: 'end',
      sort: 'desc',
      phone: 'labelled',
      cell: ({ id, members }) =>
        may('admin.users.list') && members > 0 ? (
          <Link to={`${href('admin.users.list')}?role=${id}`}>{number(members)}</Link>
        ) : (
          number(members)
        ),
    },
    {
      key: 'permissions',
      label: t('permissions'),
      align: 'end',
      sort: 'desc',
      phone: 'labelled',
      cell: ({ id, permissions }) =>
        may('admin.permissions.list') ? (
          <Link to={href('admin.roles.permissions', { id })}>{number(permissions)}</Link>
        ) : (
          number(permissions)
        ),
    },
  ];
}
