import type { ListSpec, ListState } from '#client/lib/url-state.ts';
import type { OfferView } from '#shared/contract/panels.ts';
import { OFFER_KINDS, OFFER_STATES } from '#shared/panel-codes.ts';

/** What the address of a catalogue may contain. Without a state: what is new, changed or vanished. */
export const CATALOGUE_LIST = {
  sortable: ['name'],
  defaultSort: { key: 'name', dir: 'asc' },
  sizes: [50, 100, 200],
  filters: ['state', 'kind', 'nest'],
} as const satisfies ListSpec;

/** The key of an offer in forms and selections. */
export const offerKey = ({ kind, ref }: Pick<OfferView, 'kind' | 'ref'>): string => `${kind}:${ref}`;

/** Filters and sorts the offers by the list's state. News are ordered vanished, changed, new. */
export function filterOffers(offers: readonly OfferView[], { filters, q, sort }: ListState): OfferView[] {
  const state = filters.state === 'all' ? 'all' : (OFFER_STATES.find((each) => each === filters.state) ?? 'news');
  const kind = OFFER_KINDS.find((each) => each === filters.kind);
  const wanted = q.toLowerCase();
  const found = offers.filter(
    (offer) =>
      (state === 'all' || (state === 'news' ? offer.state !== 'current' : offer.state === state)) &&
      (!kind || offer.kind === kind) &&
      (filters.nest === undefined || offer.nest?.ref === filters.nest) &&
      (wanted === '' || `${offer.name} ${offer.description} ${offer.nest?.name ?? ''}`.toLowerCase().includes(wanted)),
  );
  const direction = sort.dir === 'desc' ? -1 : 1;
  const rank = (offer: OfferView): number => (state === 'news' ? NEWS.indexOf(offer.state) : 0);
  return found.sort(
    (a, b) => rank(a) - rank(b) || direction * (a.name.localeCompare(b.name) || (a.ref < b.ref ? -1 : 1)),
  );
}
const NEWS: readonly OfferView['state'][] = ['vanished', 'changed', 'fresh', 'current'];

/** Counts the offers by state. */
export function countStates(offers: readonly OfferView[]): Record<OfferView['state'], number> {
  const counts = { fresh: 0, changed: 0, current: 0, vanished: 0 };
  for (const { state } of offers) counts[state] += 1;
  return counts;
}
