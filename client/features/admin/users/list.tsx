import { useState } from 'react';
import type { ReactNode } from 'react';
import { useLoaderData, useLocation } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { isFiltered, readList } from '#client/lib/url-state.ts';
import { useListState, type ListOfAddress } from '#client/lib/use-list-state.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { DataTable } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar, type Filter } from '#client/ui/filter-bar.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { PageSizes } from '#client/ui/page-sizes.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import type { Selection } from '#client/ui/table-selection.tsx';
import { toasts } from '#client/ui/toasts.ts';
import { can } from '#shared/can.ts';
import { BULK_USERS_MAX } from '#shared/schemas/user-bulk.ts';
import { USER_SEEN, USER_STATES } from '#shared/schemas/people.ts';
import { ColumnMenu, shownColumns } from '../parts/columns.tsx';
import { UserBulk } from './bulk.tsx';
import { USUAL_COLUMNS, useColumns } from './columns.tsx';
import { sortOf, toUsersQuery, USERS_LIST } from './query.ts';

export { action } from './bulk-action.ts';

/** One page of the users. */
export function loader(args: LoaderFunctionArgs) {
  const { search } = new URL(args.request.url);
  return apiOf(args).adminUsers.list({ query: toUsersQuery(readList(search, USERS_LIST)) });
}
type Data = Awaited<ReturnType<typeof loader>>;

/** /mc-admin/users */
export default function UsersScreen(): ReactNode {
  const t = useT('users');
  const ui = useT('ui');
  const own = useT('userList');
  const { rows, paging, roles } = useLoaderData<typeof loader>();
  const paged = useListState(USERS_LIST);
  const { state, hrefOf } = paged;
  const mayEdit = can(useShell().session.permissions, 'admin.users.edit');
  const { after: _, before: __, per_page: ___, ...query } = toUsersQuery(state);
  const { sort: ____, ...filter } = query;
  const selection = useSelection(new URLSearchParams(filter).toString());
  const columns = useColumns(state);
  const actions = (
    <>
      <ColumnMenu columns={columns} usual={USUAL_COLUMNS} state={state} hrefOf={hrefOf} />
      <LinkButton
        to={`/api/admin/users/export.csv?${new URLSearchParams(query).toString()}`}
        icon="download"
        reloadDocument
        download
      >
        {own('export')}
      </LinkButton>
    </>
  );
  const list = (
    <Card flush>
      <FilterBar
        spec={USERS_LIST}
        state={state}
        hrefOf={hrefOf}
        searchLabel={t('search')}
        filters={useFilters(roles)}
      />
      <DataTable
        phone="lines"
        caption={t('title')}
        rows={rows}
        rowKey={(row) => row.id}
        rowName={(row) => row.username}
        columns={shownColumns(state, columns, USUAL_COLUMNS)}
        sort={sortOf(state)}
        {...(mayEdit ? { selection } : {})}
        sortHref={(sort) => hrefOf({ sort })}
        state={
          isFiltered(state) ? (
            <EmptyState as="h2" art="search" title={ui('noMatches')} text={ui('noMatchesHint')} />
          ) : (
            <EmptyState as="h2" title={t('nobody')} text={t('nobodyText')} />
          )
        }
      />
      {rows.length > 0 && <UsersPager paging={paging} list={paged} />}
    </Card>
  );
  return (
    <Page>
      <PageHead title={t('title')} text={t('lead')} crumbs={useCrumbs()} actions={actions} />
      {new URLSearchParams(useLocation().search).get('done') === 'delete' && (
        <Banner tone="positive" live>
          {t('accountClosed')}
        </Banner>
      )}
      {mayEdit ? (
        <UserBulk
          selection={selection}
          roles={roles}
          rows={rows.length}
          hasMore={paging.more || paging.total > rows.length}
          filter={filter}
        >
          {list}
        </UserBulk>
      ) : (
        list
      )}
    </Page>
  );
}

/** Who is selected: over all pages of a filter, up to what one command takes; nobody once the filter is another one. */
function useSelection(filter: string): Selection {
  const t = useT('userList');
  const [kept, keep] = useState({ filter, selected: NOBODY });
  return {
    selected: kept.filter === filter ? kept.selected : NOBODY,
    change(selected) {
      if (selected.size <= BULK_USERS_MAX) keep({ filter, selected });
      else toasts.show({ tone: 'info', title: t('tooMany', { max: BULK_USERS_MAX }) });
    },
  };
}
const NOBODY: ReadonlySet<string> = new Set();

function UsersPager({ paging, list }: { paging: Data['paging']; list: ListOfAddress }): ReactNode {
  const { state, sizes, hrefOf } = list;
  const t = useT('userList');
  const format = useFormat();
  const { before, after, total, more } = paging;
  return (
    <CursorPager
      words="list"
      first={before === null ? null : hrefOf({ cursor: null })}
      previous={before === null ? null : hrefOf({ cursor: { before } })}
      next={after === null ? null : hrefOf({ cursor: { after } })}
    >
      <span>{more ? t('countMore', { total: format.number(total) }) : t('count', { count: total })}</span>
      {total > Math.min(...sizes) && <PageSizes sizes={sizes} size={state.size} hrefOf={(size) => hrefOf({ size })} />}
    </CursorPager>
  );
}

/** What the list can be narrowed by. */
function useFilters(roles: Data['roles']): readonly Filter[] {
  const t = useT('users');
  const own = useT('userList');
  return [
    { name: 'role', label: t('role'), options: roles.map(({ id, name }) => ({ value: id, label: name })) },
    {
      name: 'status',
      label: t('standing'),
      options: USER_STATES.map((status) => ({ value: status, label: t(`state.${status}`) })),
    },
    { name: 'unverified', label: t('email'), options: [{ value: 'true', label: t('unconfirmed') }] },
    {
      name: 'factor',
      label: own('factor'),
      options: [
        { value: 'true', label: own('factorOn') },
        { value: 'false', label: own('factorOff') },
      ],
    },
    { name: 'unspent', label: own('spending'), options: [{ value: 'true', label: own('spentNothing') }] },
    {
      name: 'debt',
      label: t('debt'),
      options: [
        { value: 'true', label: t('owes') },
        { value: 'false', label: t('owesNothing') },
      ],
    },
    {
      name: 'seen',
      label: t('lastSeen'),
      options: USER_SEEN.map((seen) => ({ value: seen, label: own(`seen.${seen}`) })),
    },
  ];
}
