import type { ListSpec } from '#client/lib/url-state.ts';

/** Servers on a page of the dashboard. */
export const SERVERS_SHOWN = 12;

/** What the dashboard's address says of its servers: the page. */
export const SERVER_LIST: ListSpec = {
  sortable: [],
  defaultSort: { key: 'expires', dir: 'asc' },
  sizes: [SERVERS_SHOWN],
  filters: [],
};
