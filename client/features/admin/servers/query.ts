import type { ListSpec, ListState } from '#client/lib/url-state.ts';
import { writeSort } from '#client/lib/url-state.ts';
import { DRIFT_KINDS, EMBEDDED_PANEL, STAFF_SERVER_SORTS, STAFF_SERVER_STATES } from '#shared/schemas/staff-server.ts';

export const SERVER_LIST = {
  sortable: STAFF_SERVER_SORTS,
  defaultSort: { key: 'created', dir: 'desc' },
  sizes: [25, 50, 100],
  filters: ['state', 'panel', 'location', 'owner'],
  kept: ['columns'],
} as const satisfies ListSpec;

export const DRIFT_LIST = {
  sortable: ['first', 'name'],
  defaultSort: { key: 'first', dir: 'desc' },
  sizes: [25, 50, 100],
  filters: ['kind', 'panel'],
} as const satisfies ListSpec;

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const idOf = (name: string, value: string | undefined): Record<string, string> =>
  value !== undefined && ID.test(value) ? { [name]: value } : {};
const panelOf = (value: string | undefined): Record<string, string> =>
  value === EMBEDDED_PANEL ? { panel: value } : idOf('panel', value);

/** The API query of a list's state; invalid values (typed by hand) are left out. */
export function toServerQuery({ filters, q, page, size, sort }: ListState) {
  const state = STAFF_SERVER_STATES.find((each) => each === filters.state);
  return {
    page: String(page),
    per_page: String(size),
    sort: writeSort(sort),
    ...(q ? { q: q.slice(0, 100) } : {}),
    ...(state ? { state } : {}),
    ...panelOf(filters.panel),
    ...idOf('location', filters.location),
    ...idOf('owner', filters.owner),
  };
}
const DRIFT_SORTS = ['first', '-first', 'name', '-name'] as const;
export function toDriftQuery({ filters, page, size, sort }: ListState) {
  const kind = DRIFT_KINDS.find((each) => each === filters.kind);
  const order = DRIFT_SORTS.find((each) => each === writeSort(sort));
  return {
    page: String(page),
    per_page: String(size),
    ...(order ? { sort: order } : {}),
    ...(kind ? { kind } : {}),
    ...panelOf(filters.panel),
  };
}
