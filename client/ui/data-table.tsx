import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { nextSort } from '#client/lib/url-state.ts';
import type { Sort, SortDirection } from '#client/lib/url-state.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import type { MenuItem } from './menu.tsx';
import { AllRowsCheckbox, RowCheckbox } from './table-selection.tsx';
import type { Selection } from './table-selection.tsx';

/** Explicit roles: the cards on phones change `display`, which removes the native roles in some browsers. */
const ROLE = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  rowheader: { role: 'rowheader' },
  cell: { role: 'cell' },
} as const;

/** A column: what stands in it and how. */
export interface Column<Row> {
  key: string;
  label: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the end. */
  align?: 'end';
  /** The heading is a link that sorts; the direction of the first click. */
  sort?: SortDirection;
  /** The column that names the row: a row header, and the card's title on phones. One a table. */
  title?: boolean;
  /** The accessible name of the row header, if its content (a disclosure) does not name it. */
  name?: (row: Row) => string;
  /** On a phone with two lines a row: `lead` goes to the end of the first line, `labelled` to the second with its label. */
  phone?: 'lead' | 'labelled';
  /** Not shown on phones. */
  hideOnPhone?: boolean;
  /** May break into lines. */
  wrap?: boolean;
}

export interface DataTableProps<Row> {
  /** What the table is, read out. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** What the row is called, for "Actions for …". */
  rowName: (row: Row) => string;
  sort?: Sort;
  /** Address of the same list in another order. */
  sortHref?: (sort: Sort) => string;
  rowMenu?: (row: Row) => readonly MenuItem[];
  selection?: Selection;
  /** Shown instead of rows: nothing there, no match, an error, a skeleton. */
  state?: ReactNode;
  /** How a row looks on phones: a card that labels every value, or two compact lines. */
  phone?: 'cards' | 'lines';
  /** Rows are being fetched: the current ones stay, dimmed. */
  busy?: boolean;
}

/**
 * A table that turns into cards or lines on phones. If it is wider than its container it scrolls under a sticky first
 * column, with a fade at the edge.
 */
export function DataTable<Row>(props: DataTableProps<Row>): ReactNode {
  const {
    caption,
    columns,
    rows,
    rowKey,
    rowName,
    sort,
    sortHref,
    rowMenu,
    selection,
    state,
    phone = 'cards',
    busy = false,
  } = props;
  const t = useT('ui');
  if (state !== undefined && state !== null && rows.length === 0) return <div className="sp-table-state">{state}</div>;
  return (
    <section
      className="sp-table-wrap"
      aria-label={caption}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls sideways must be reachable by keyboard
      tabIndex={0}
      data-phone={phone}
      aria-busy={busy || undefined}
    >
      <table className="sp-table" {...ROLE.table}>
        <caption className="sp-sr">{caption}</caption>
        <thead {...ROLE.rowgroup}>
          <tr {...ROLE.row}>
            {selection && (
              <th scope="col" {...ROLE.columnheader} className="sp-table__pick">
                <AllRowsCheckbox selection={selection} keys={rows.map(rowKey)} />
              </th>
            )}
            {columns.map((column) => (
              <Heading key={column.key} column={column} sort={sort} sortHref={sortHref} />
            ))}
            {rowMenu && (
              <th scope="col" {...ROLE.columnheader} className="sp-table__menu">
                <span className="sp-sr">{t('actions')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody {...ROLE.rowgroup}>
          {rows.map((row) => (
            <tr key={rowKey(row)} {...ROLE.row} data-picked={selection?.selected.has(rowKey(row)) || undefined}>
              {selection && (
                <td {...ROLE.cell} className="sp-table__pick">
                  <RowCheckbox selection={selection} rowKey={rowKey(row)} name={rowName(row)} />
                </td>
              )}
              {columns.map((column) => (
                <Cell key={column.key} column={column} row={row} name={rowName(row)} />
              ))}
              {rowMenu && (
                <td {...ROLE.cell} className="sp-table__menu">
                  <Menu size="sm" label={t('actionsFor', { name: rowName(row) })} items={rowMenu(row)} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface HeadingProps<Row> {
  column: Column<Row>;
  sort: Sort | undefined;
  sortHref: ((sort: Sort) => string) | undefined;
}

function Heading<Row>({ column, sort, sortHref }: HeadingProps<Row>): ReactNode {
  const t = useT('ui');
  const current = sort?.key === column.key ? sort.dir : undefined;
  return (
    <th
      scope="col"
      {...ROLE.columnheader}
      className={column.title ? 'sp-table__name' : undefined}
      data-align={column.align}
      aria-sort={current && (current === 'asc' ? 'ascending' : 'descending')}
    >
      {column.sort && sort && sortHref ? (
        <Link
          className="sp-sort"
          to={sortHref(nextSort(sort, column.key, column.sort))}
          preventScrollReset
          title={t('sortBy', { column: column.label })}
        >
          {column.label}
          <Icon name="arrow-down" />
        </Link>
      ) : (
        column.label
      )}
    </th>
  );
}

function Cell<Row>({ column, row, name }: { column: Column<Row>; row: Row; name: string }): ReactNode {
  const shared = { 'data-align': column.align, 'data-wrap': column.wrap || undefined, 'data-phone': column.phone };
  if (column.title) {
    return (
      <th
        scope="row"
        {...ROLE.rowheader}
        className="sp-table__title"
        aria-label={column.name?.(row)}
        title={name}
        {...shared}
      >
        {column.cell(row)}
      </th>
    );
  }
  return (
    <td {...ROLE.cell} data-label={column.label} data-hide-phone={column.hideOnPhone || undefined} {...shared}>
      {column.cell(row)}
    </td>
  );
}
