import type { ReactNode } from 'react';
import { useLocation, useNavigation } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { isFiltered } from '#client/lib/url-state.ts';
import type { ListOfAddress } from '#client/lib/use-list-state.ts';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { EmptyState } from './empty-state.tsx';
import { Pager } from './pager.tsx';

interface PagedTableProps<Row> extends Omit<DataTableProps<Row>, 'sort' | 'sortHref' | 'state'> {
  /** The list as the address has it (`useListState`). */
  readonly list: ListOfAddress;
  readonly paging: {
    readonly page: number;
    readonly per_page: number;
    readonly total: number;
    /** There are more than `total` rows, uncounted. */
    readonly more?: boolean | undefined;
  };
  /** Shown where there is nothing at all. */
  readonly empty: ReactNode;
  /** Shown where nothing fits the filters; a sentence that fits every list unless given. */
  readonly noMatch?: ReactNode;
}

/** A page of a list that the address describes: its table in its order, and the way to the other pages. */
export function PagedTable<Row>(props: PagedTableProps<Row>): ReactNode {
  const { list, paging, empty, noMatch, phone = 'lines', busy = false, ...table } = props;
  const { state, sizes, hrefOf } = list;
  const t = useT('ui');
  const navigation = useNavigation();
  const { pathname } = useLocation();
  const nothingFits = noMatch ?? <EmptyState as="h2" art="search" title={t('noMatches')} text={t('noMatchesHint')} />;
  return (
    <>
      <DataTable
        {...table}
        phone={phone}
        sort={state.sort}
        sortHref={(sort) => hrefOf({ sort })}
        state={isFiltered(state) ? nothingFits : empty}
        busy={busy || (navigation.state === 'loading' && navigation.location.pathname === pathname)}
      />
      {paging.total > 0 && (
        <Pager
          page={paging.page}
          size={paging.per_page}
          total={paging.total}
          more={paging.more}
          hrefOf={(page) => hrefOf({ page })}
          sizes={sizes}
          hrefOfSize={(size) => hrefOf({ size })}
        />
      )}
    </>
  );
}
