import { DAY } from '#shared/time.ts';
import type { PeopleQuery } from './ports.ts';

/** Spans by which the list is filtered by when users were last seen: bounds in ms before now. */
const SEEN = {
  week: { fromAgo: 7 * DAY },
  month: { fromAgo: 30 * DAY },
  away: { toAgo: 90 * DAY },
} as const;
/** `week`, `month`: within the last 7 or 30 days; `away`: not for 90 days; `never`: on no occasion that is known. */
export type Seen = keyof typeof SEEN | 'never';

/** The bounds of a span, in UTC ms: from (inclusive) to (exclusive). Whoever was never seen has 0. */
export function seenBounds(seen: Seen, nowMs: number): { fromMs: number; toMs: number } {
  if (seen === 'never') return { fromMs: 0, toMs: 1 };
  const span = SEEN[seen];
  return 'fromAgo' in span
    ? { fromMs: nowMs - span.fromAgo, toMs: Number.MAX_SAFE_INTEGER }
    : { fromMs: 1, toMs: nowMs - span.toAgo };
}

/** Filters that have an index for every order but that by credits; the first of those that are set is walked. */
type IndexedFilter = 'status' | 'unverified' | 'role' | 'unspent' | 'factor';

/** The indexed filters of a question, those that few users fit first. */
export function indexedFilters(query: PeopleQuery): IndexedFilter[] {
  const set: Readonly<Record<IndexedFilter, boolean>> = {
    // Nearly everybody is active: that is no filter to be found by.
    status: query.status !== undefined && query.status !== 'active',
    unverified: query.unverified === true,
    role: query.roleId !== undefined,
    unspent: query.unspent === true,
    factor: query.factor !== undefined,
  };
  return (Object.keys(set) as IndexedFilter[]).filter((name) => set[name]);
}

/**
 * Whether each row that is read along one index is one that is shown, however many users there are. Any other question
 * passes rows over, and may pass over very many.
 */
export function isReadInOrder(query: PeopleQuery): boolean {
  const indexed = indexedFilters(query).length;
  if (
    query.ids !== undefined ||
    (query.search ?? '').trim() !== '' ||
    query.debt !== undefined ||
    query.status === 'active'
  )
    return false;
  if (query.seen !== undefined && query.sort !== 'seen') return false;
  return indexed <= (query.sort === 'credits' ? 0 : 1);
}
