import { Link } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import type { ListState } from '#client/lib/url-state.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import type { Column } from '#client/ui/data-table.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { loader } from './list.tsx';
import { STATE_SHAPES } from './parts.tsx';

type Row = Awaited<ReturnType<typeof loader>>['rows'][number];

/** The columns that can be shown beside the name, in their order. */
const COLUMNS = ['credits', 'role', 'status', 'verified', 'factor', 'spent', 'created_at', 'seen_at'] as const;
type ColumnName = (typeof COLUMNS)[number];
/** Those that are shown where nothing else is asked for. */
export const USUAL_COLUMNS: readonly ColumnName[] = ['credits', 'role', 'status', 'created_at', 'seen_at'];

function useColumnLabels(): Readonly<Record<ColumnName, string>> {
  const t = useT('users');
  const own = useT('userList');
  return {
    credits: t('credits'),
    role: t('role'),
    status: t('standing'),
    verified: t('email'),
    factor: own('factor'),
    spent: own('spending'),
    created_at: t('registered'),
    seen_at: t('lastSeen'),
  };
}

/** All columns. A span of "last seen" goes with the order by it alone, so no other can be chosen then. */
export function useColumns(state: ListState): readonly Column<Row>[] {
  const cells = useCells();
  const labels = useColumnLabels();
  const name = useNameColumn();
  const columns = [name, ...COLUMNS.map((key) => ({ key, label: labels[key], ...cells[key] }))];
  return state.filters.seen === undefined
    ? columns
    : columns.map(({ sort, ...column }) => (sort && column.key === 'seen_at' ? { ...column, sort } : column));
}

function useNameColumn(): Column<Row> {
  const t = useT('users');
  const mayOpen = can(useShell().session.permissions, 'admin.users.edit');
  return {
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
  };
}

function useCells(): Readonly<Record<ColumnName, Omit<Column<Row>, 'key' | 'label'>>> {
  const t = useT('users');
  const own = useT('userList');
  const format = useFormat();
  const now = useNow(60_000);
  return {
    credits: {
      phone: 'lead',
      align: 'end',
      sort: 'desc',
      cell: ({ credits, debt }) => (
        <>
          <CreditAmount value={credits} variant="plain" />{' '}
          {debt > 0 && <Badge tone="warning">{t('owesAmount', { credits: format.number(debt) })}</Badge>}
        </>
      ),
    },
    role: { cell: ({ role }) => role.name },
    status: { cell: ({ status }) => <Status shape={STATE_SHAPES[status]}>{t(`state.${status}`)}</Status> },
    verified: { cell: ({ verified }) => t(verified ? 'confirmed' : 'unconfirmed') },
    factor: { phone: 'labelled', cell: ({ factor }) => own(factor ? 'factorOn' : 'factorOff') },
    spent: { cell: ({ spent }) => own(spent ? 'spentSome' : 'spentNothing') },
    created_at: {
      hideOnPhone: true,
      sort: 'desc',
      cell: (row) => <time dateTime={row.created_at}>{format.date(row.created_at)}</time>,
    },
    seen_at: {
      hideOnPhone: true,
      sort: 'desc',
      cell: (row) =>
        row.seen_at === null ? (
          <span className="sp-muted">{t('notSeen')}</span>
        ) : (
          <time dateTime={row.seen_at}>{format.when(row.seen_at, now)}</time>
        ),
    },
  };
}
