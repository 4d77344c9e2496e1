import { normaliseName } from '#shared/names.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, FindPlaceTrace, Ids, PlaceTrace, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { LongReads, Tx, UnitOfWork } from '../tx.ts';
import type { PeoplePage, PeopleQuery, ListedUser } from './ports.ts';
import { isReadInOrder, seenBounds, type Seen } from './list-filters.ts';

/** Users of an export that are read at a time: some ms of work between two looks at everybody else. */
const EXPORT_STEP = 500;

interface Deps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly findPlaceTrace: FindPlaceTrace;
}
/** What is asked for: `seen` goes with the order by it alone, in the direction that is asked for. */
export interface UserListQuery extends Omit<PeopleQuery, 'nowMs' | 'seen' | 'place'> {
  readonly seen?: Seen | undefined;
}
interface UserListPage extends Pick<PeoplePage, 'rows' | 'total' | 'isMore'> {
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
}

/** The list of users for staff (behaviour 8.3), and all of it as an export. */
export function createUserList(deps: Deps) {
  const { uow, long, clock } = deps;

  function questionOf({ seen, ...query }: UserListQuery): PeopleQuery {
    const nowMs = clock.now();
    const asked = { ...query, place: placeOf(deps.findPlaceTrace, query) };
    return seen === undefined ? { ...asked, nowMs } : { ...asked, nowMs, sort: 'seen', seen: seenBounds(seen, nowMs) };
  }

  /**
   * One page of the users, and the roles one can filter by. Where nobody is left beyond the cursor it is the first
   * page. What no index has in order is asked elsewhere.
   */
  function list(
    asked: UserListQuery,
    signal?: AbortSignal,
  ): Promise<UserListPage & { roles: { id: string; name: string }[] }> {
    const query = questionOf(asked);
    const listed = async (tx: Tx) => ({ ...(await pageOf(tx, query)), roles: await tx.people.roles() });
    return isReadInOrder(query)
      ? uow.read(listed)
      : long.read(listed, { for: 'visitor', ...(signal ? { signal } : {}) });
  }

  /**
   * All users who fit, some hundred at a time, each on a view of its own: who changes their place meanwhile may be
   * missing or there twice. That they were exported is in the audit log. Throws FORBIDDEN.
   */
  async function exportAll(
    ctx: SignedIn,
    asked: UserListQuery,
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly ListedUser[]>> {
    assertMay(ctx, 'admin.users.list');
    const query = { ...questionOf(asked), before: undefined, limit: EXPORT_STEP };
    const step = (after: PeopleQuery['after']) =>
      long.read((tx) => tx.people.list({ ...query, after }), { for: 'visitor', signal });
    // A fault of the first is an error response, not a file that breaks off.
    const begun = await step(undefined);
    await uow.run((tx) => writeAudit(tx, deps, ctx, { action: 'users.export', after: { users: sizeOf(begun) } }));
    return steps(begun, step);
  }

  return { list, exportAll };
}

const sizeOf = ({ total, isMore }: PeoplePage): string => `${total}${isMore ? '+' : ''}`;

async function pageOf(tx: Tx, query: PeopleQuery): Promise<UserListPage> {
  const { before, after, ...first } = query;
  if (after) {
    const page = await tx.people.list({ ...first, after });
    if (page.rows.length > 0) return { ...page, hasBefore: true, hasAfter: page.goesOn };
  } else if (before) {
    const page = await tx.people.list({ ...first, before });
    if (page.goesOn) return { ...page, hasBefore: true, hasAfter: true };
  }
  const page = await tx.people.list(first);
  return { ...page, hasBefore: false, hasAfter: page.goesOn };
}

async function* steps(
  begun: PeoplePage,
  step: (after: PeopleQuery['after']) => Promise<PeoplePage>,
): AsyncGenerator<readonly ListedUser[]> {
  for (let page = begun; ; page = await step(page.rows.at(-1)?.cursor)) {
    yield page.rows;
    if (!page.goesOn) return;
  }
}

/** What users left behind at the address that is searched for; null where the caller may not ask for it. */
export function placeOf(
  findPlaceTrace: FindPlaceTrace,
  { search, byAddress }: Pick<UserListQuery, 'search' | 'byAddress'>,
): PlaceTrace | null {
  return byAddress === true && search !== undefined ? findPlaceTrace(normaliseName(search)) : null;
}
