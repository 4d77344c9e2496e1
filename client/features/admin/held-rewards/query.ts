import type { ListSpec, ListState } from '#client/lib/url-state.ts';
import { SOURCE_NAMES } from '#shared/earning-sources.ts';
import { writeSort } from '#client/lib/url-state.ts';

/** What the list's address may contain. Without a state: rewards that wait. */
export const HELD_REWARDS_LIST = {
  sortable: ['created', 'score', 'amount'],
  defaultSort: { key: 'created', dir: 'desc' },
  sizes: [25, 50, 100],
  filters: ['state', 'source', 'note'],
} as const satisfies ListSpec;

const STATES = ['open', 'released', 'rejected'] as const;
const SORTS = ['created', '-created', 'score', '-score', 'amount', '-amount'] as const;

/** The API query of a list's state; invalid values (typed by hand) are left out. */
export function toHeldRewardsQuery({ filters, q, page, size, sort }: ListState) {
  const state = filters.state === 'all' ? undefined : (STATES.find((each) => each === filters.state) ?? 'open');
  const source = SOURCE_NAMES.find((each) => each === filters.source);
  const order = SORTS.find((each) => each === writeSort(sort));
  const note = (['true', 'false'] as const).find((each) => each === filters.note);
  return {
    page: String(page),
    per_page: String(size),
    ...(q ? { q: q.slice(0, 100) } : {}),
    ...(order ? { sort: order } : {}),
    ...(state ? { state } : {}),
    ...(source ? { source } : {}),
    ...(note ? { note } : {}),
  };
}
