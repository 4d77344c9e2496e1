import type { ReactNode } from 'react';
import { Link, redirect, useLoaderData, useLocation } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import {
  isFiltered,
  pageCount,
  readList,
  listSearch,
  writeSort,
  type ListSpec,
  type ListState,
} from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar } from '#client/ui/filter-bar.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Pager } from '#client/ui/pager.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { USER_SORTS, USER_STATES } from '#shared/schemas/people.ts';
import { href } from '#shared/routes/href.ts';
import { STATE_SHAPES } from './parts.tsx';

const LIST = {
  sortable: USER_SORTS,
  defaultSort: { key: 'created_at', dir: 'desc' },
  sizes: [25, 50, 100],
  filters: ['role', 'status', 'debt', 'unverified'],
} as const satisfies ListSpec;

/** The API query of a list's state; invalid filters are left out. */
function toUsersQuery({ filters, q, page, size, sort }: ListState): Record<string, string> {
  const { role, status, debt, unverified } = filters;
  return {
    ...(role && /^[0-9a-f-]{36}$/.test(role) ? { role } : {}),
    ...(status && USER_STATES.some((each) => each === status) ? { status } : {}),
    ...(debt === 'true' || debt === 'false' ? { debt } : {}),
    ...(unverified === 'true' ? { unverified } : {}),
    ...(q ? { q: q.slice(0, 100) } : {}),
    page: String(page),
    per_page: String(size),
    sort: writeSort(sort),
  };
}

/** One page of the users. */
export async function loader(args: LoaderFunctionArgs) {
  const { pathname, search } = new URL(args.request.url);
  const state = readList(search, LIST);
  const listed = await apiOf(args).adminUsers.list({ query: toUsersQuery(state) });
  const last = pageCount(listed.paging.total, state.size);
  if (state.page > last) throw redirect(pathname + listSearch(state, LIST, { page: last }));
  return listed;
}
type Data = Awaited<ReturnType<typeof loader>>;
type Row = Data['rows'][number];

/** /mc-admin/users */
export default function UsersScreen(): ReactNode {
  const t = useT('users');
  const ui = useT('ui');
  const { rows, paging, roles } = useLoaderData<typeof loader>();
  const { state, hrefOf } = useListState(LIST);
  const filters = [
    { name: 'role', label: t('role'), options: roles.map(({ id, name }) => ({ value: id, label: name })) },
    {
      name: 'status',
      label: t('standing'),
      options: USER_STATES.map((status) => ({ value: status, label: t(`state.${status}`) })),
    },
    {
      name: 'debt',
      label: t('debt'),
      options: [
        { value: 'true', label: t('owes') },
        { value: 'false', label: t('owesNothing') },
      ],
    },
    { name: 'unverified', label: t('email'), options: [{ value: 'true', label: t('unconfirmed') }] },
  ];
  return (
    <Page>
      <PageHead title={t('title')} text={t('lead')} crumbs={useCrumbs()} />
      {new URLSearchParams(useLocation().search).get('done') === 'delete' && (
        <Banner tone="positive" live>
          {t('accountClosed')}
        </Banner>
      )}
      <Card flush>
        <FilterBar spec={LIST} state={state} hrefOf={hrefOf} searchLabel={t('search')} filters={filters} />
        <DataTable
          phone="lines"
          caption={t('title')}
          rows={rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.username}
          columns={useColumns()}
          sort={state.sort}
          sortHref={(sort) => hrefOf({ sort })}
          state={
            isFiltered(state) ? (
              <EmptyState as="h2" art="search" title={ui('noMatches')} text={ui('noMatchesHint')} />
            ) : (
              <EmptyState as="h2" title={t('nobody')} text={t('nobodyText')} />
            )
          }
        />
        {paging.total > 0 && (
          <Pager
            page={paging.page}
            size={paging.per_page}
            total={paging.total}
            more={paging.more}
            hrefOf={(page) => hrefOf({ page })}
          />
        )}
      </Card>
    </Page>
  );
}

function useColumns(): readonly Column<Row>[] {
  const t = useT('users');
  const format = useFormat();
  const now = useNow(60_000);
  const { permissions } = useShell().session;
  const mayOpen = can(permissions, 'admin.users.edit');
  return [
    {
      key: 'username',
      label: t('user'),
      title: true,
      sort: 'asc',
      cell: ({ id, username, email }) => (
        <span className="sp-user-name">
          {mayOpen ? <Link to={href('admin.users.edit', { id })}>{username}</Link> : <span>{username}</span>}
          <span className="sp-muted" title={email}>
            {email}
          </span>
        </span>
      ),
    },
    {
      key: 'credits',
      phone: 'lead',
      label: t('credits'),
      align: 'end',
      sort: 'desc',
      cell: ({ credits, debt }) => (
        <>
          <CreditAmount value={credits} variant="plain" />{' '}
          {debt > 0 && <Badge tone="warning">{t('owesAmount', { credits: format.number(debt) })}</Badge>}
        </>
      ),
    },
    { key: 'role', label: t('role'), cell: ({ role }) => role.name },
    {
      key: 'status',
      label: t('standing'),
      cell: ({ status }) => <Status shape={STATE_SHAPES[status]}>{t(`state.${status}`)}</Status>,
    },
    {
      key: 'created_at',
      phone: 'labelled',
      label: t('registered'),
      sort: 'desc',
      cell: (row) => <time dateTime={row.created_at}>{format.date(row.created_at)}</time>,
    },
    {
      key: 'seen_at',
      hideOnPhone: true,
      label: t('lastSeen'),
      cell: (row) =>
        row.seen_at === null ? (
          <span className="sp-muted">{t('notSeen')}</span>
        ) : (
          <time dateTime={row.seen_at}>{format.when(row.seen_at, now)}</time>
        ),
    },
  ];
}
