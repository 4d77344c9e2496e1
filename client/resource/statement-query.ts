import { readList } from '#client/lib/url-state.ts';
import type { ListSpec, ListState } from '#client/lib/url-state.ts';
import { STATEMENT_CURSOR } from '#shared/statement.ts';

/** What the statement's address may say. The order is fixed: the newest first. */
export const STATEMENT_LIST = {
  sortable: [],
  defaultSort: { key: 'at', dir: 'desc' },
  sizes: [25, 50, 100],
  filters: ['kind', 'direction', 'from', 'to'],
  cursor: STATEMENT_CURSOR,
} as const satisfies ListSpec;

/** Filters as the API asks for them. */
interface StatementFilters {
  kind?: string;
  direction?: 'in' | 'out';
  from?: string;
  to?: string;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The filters of a list state; whatever cannot be one (typed into the address by hand) is left out. */
export function statementFilters({ filters }: ListState): StatementFilters {
  const { kind, direction, from, to } = filters;
  return {
    ...(kind && kind.length <= 40 ? { kind } : {}),
    ...(direction === 'in' || direction === 'out' ? { direction } : {}),
    ...(from && DATE.test(from) ? { from } : {}),
    ...(to && DATE.test(to) ? { to } : {}),
  };
}

/** The query of the statement for an address (`?tab=statement&…`). */
export function statementQuery(
  search: string,
): StatementFilters & { before?: string; after?: string; per_page: string } {
  const state = readList(search, STATEMENT_LIST);
  return { ...statementFilters(state), ...state.cursor, per_page: String(state.size) };
}
