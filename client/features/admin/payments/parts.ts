import type { ListSpec } from '#client/lib/url-state.ts';

/** What the list's address may contain. */
export const PAYMENTS_LIST: ListSpec = {
  sortable: ['created_at', 'amount'],
  defaultSort: { key: 'created_at', dir: 'desc' },
  sizes: [25, 50, 100],
  filters: ['state', 'provider'],
  kept: ['columns'],
};
