import type { ListSpec, ListState } from '#client/lib/url-state.ts';
import { QUEUE_STATES } from '#shared/schemas/server.ts';
import { QUEUE_STEPS } from '#shared/server-codes.ts';

export const QUEUE_LIST = {
  sortable: ['created'],
  defaultSort: { key: 'created', dir: 'desc' },
  sizes: [25, 50, 100],
  filters: ['state'],
  kept: ['columns'],
} as const satisfies ListSpec;

export const LOG_LIST = {
  sortable: ['at'],
  defaultSort: { key: 'at', dir: 'desc' },
  sizes: [50, 100, 25],
  filters: ['code'],
} as const satisfies ListSpec;

const paged = ({ q, page, size }: ListState) => ({
  page: String(page),
  per_page: String(size),
  ...(q ? { q: q.slice(0, 100) } : {}),
});

/** The API query of a list's state; invalid values (typed by hand) are left out. */
export function toQueueQuery(list: ListState) {
  const state = QUEUE_STATES.find((each) => each === list.filters.state);
  return {
    ...paged(list),
    sort: list.sort.dir === 'asc' ? ('created' as const) : ('-created' as const),
    ...(state ? { state } : {}),
  };
}
export function toLogQuery(list: ListState) {
  const code = QUEUE_STEPS.find((each) => each === list.filters.code);
  return { ...paged(list), ...(code ? { code } : {}) };
}
