import { writeSort, type ListSpec, type ListState, type Sort } from '#client/lib/url-state.ts';
import { USER_CURSOR, USER_SEEN, USER_SORTS, USER_STATES } from '#shared/schemas/people.ts';

/** What the address of the list of users may say. */
export const USERS_LIST = {
  sortable: USER_SORTS,
  defaultSort: { key: 'created_at', dir: 'desc' },
  sizes: [25, 50, 100],
  filters: ['role', 'status', 'debt', 'unverified', 'factor', 'unspent', 'seen'],
  cursor: USER_CURSOR,
  kept: ['columns'],
} as const satisfies ListSpec;

/** The order of the list: by "last seen" where it is narrowed to a span of it. */
export function sortOf({ filters, sort }: ListState): Sort {
  return isOneOf(USER_SEEN, filters.seen) && sort.key !== 'seen_at' ? { key: 'seen_at', dir: 'desc' } : sort;
}

/** The API query of a list's state; filters and cursors that cannot be are left out. */
export function toUsersQuery(state: ListState): Record<string, string> {
  const { filters, q, size, cursor } = state;
  const sort = sortOf(state);
  return {
    ...toFilters(filters),
    ...(q ? { q: q.slice(0, 100) } : {}),
    ...(cursor && isOfOrder(sort, Object.values(cursor)[0] ?? '') ? cursor : {}),
    per_page: String(size),
    sort: writeSort(sort),
  };
}

function toFilters({ role, status, debt, unverified, factor, unspent, seen }: ListState['filters']) {
  return {
    ...(role && /^[0-9a-f-]{36}$/.test(role) ? { role } : {}),
    ...(status && isOneOf(USER_STATES, status) ? { status } : {}),
    ...(debt && isOneOf(BOOLEANS, debt) ? { debt } : {}),
    ...(unverified === 'true' ? { unverified } : {}),
    ...(factor && isOneOf(BOOLEANS, factor) ? { factor } : {}),
    ...(unspent === 'true' ? { unspent } : {}),
    ...(seen && isOneOf(USER_SEEN, seen) ? { seen } : {}),
  };
}

const BOOLEANS = ['true', 'false'] as const;
const isOneOf = (words: readonly string[], value: string | undefined): boolean =>
  value !== undefined && words.includes(value);

/** Whether a cursor is of an order: all but that by name go by numbers. */
const isOfOrder = ({ key }: Sort, cursor: string): boolean => key === 'username' || /^-?\d{1,15}~/.test(cursor);
