import { DomainError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { BulkInput, BulkKind, BulkQuestion, BulkRun } from './bulk-ports.ts';
import { createBulkJobs, jobOf, toQuery, type BulkDeps } from './bulk-work.ts';
import { seenBounds } from './list-filters.ts';
import { placeOf, type UserListQuery } from './list.ts';

/** How long the outcome of a run is kept. */
const KEPT = 30 * DAY;

export type UserBulkAll = ReturnType<typeof createUserBulkAll>;

/**
 * Commands on all users who fit a filter (behaviour 8.3): a job looks at each by the rule for one, as whoever started
 * it could, in a transaction that also says how far it has come. So it goes on after a kill where it stood, nobody gets
 * anything twice, and it can be cancelled between two users.
 */
export function createUserBulkAll(deps: BulkDeps) {
  const { uow, long, clock, ids } = deps;

  /** How many users fit, counted to the last one, somewhere else than where others are answered. Throws FORBIDDEN. */
  function count(ctx: SignedIn, asked: UserListQuery, signal?: AbortSignal): Promise<number> {
    assertMay(ctx, 'admin.users.edit');
    const query = toQuery(toQuestion(deps, asked, clock.now()), clock.now());
    return long.read((tx) => tx.people.count(query), { for: 'visitor', ...(signal ? { signal } : {}) });
  }

  /** Starts a run, once an Idempotency-Key. Throws FORBIDDEN, CONFLICT while another one is under way. */
  async function start(ctx: SignedIn, kind: BulkKind, asked: UserListQuery, input: BulkInput): Promise<{ id: string }> {
    const total = await count(ctx, asked);
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      const id = ids.uuid();
      const createdMs = clock.now();
      const startedBy = ctx.actor.userId;
      const question = toQuestion(deps, asked, createdMs);
      if (!(await tx.userBulk.add({ id, kind, startedBy, question, input, total, createdMs })))
        throw new DomainError('CONFLICT');
      await enqueue(tx, ids, clock, jobOf(id));
      await writeAudit(tx, deps, ctx, { action: 'users.bulk_start', target: id, after: { kind, users: total } });
      return { id };
    });
  }

  /** Cancels a run: whoever was not looked at yet is left alone. Throws FORBIDDEN, NOT_FOUND where it is over. */
  function cancel(ctx: SignedIn, id: string): Promise<void> {
    return uow.run(async (tx) => {
      assertMay(ctx, 'admin.users.edit');
      if (!(await tx.userBulk.finish(id, 'cancelled', clock.now()))) throw new DomainError('NOT_FOUND');
      await writeAudit(tx, deps, ctx, { action: 'users.bulk_cancel', target: id });
    });
  }

  /** The run that was started last, with the name of who did; null where there is none. Throws FORBIDDEN. */
  function latest(ctx: SignedIn): Promise<(BulkRun & { readonly by: string | null }) | null> {
    assertMay(ctx, 'admin.users.edit');
    return uow.read(async (tx) => {
      const run = await tx.userBulk.findLatest();
      return run && { ...run, by: (await tx.people.names([run.startedBy])).get(run.startedBy) ?? null };
    });
  }

  /** Deletes the outcomes of old runs. For the scheduler. */
  const purge = (): Promise<void> => uow.run((tx) => tx.userBulk.purge(clock.now() - KEPT));

  return { count, start, cancel, latest, purge, jobs: createBulkJobs(deps) };
}

/** Who is meant by a question of the list, with its spans as they are at the start. */
function toQuestion(
  { findPlaceTrace }: Pick<BulkDeps, 'findPlaceTrace'>,
  asked: UserListQuery,
  nowMs: number,
): BulkQuestion {
  const { search, byAddress, roleId, status, debt, unverified, factor, unspent, seen } = asked;
  const span = seen === undefined ? {} : { seen: seenBounds(seen, nowMs) };
  const place = placeOf(findPlaceTrace, asked);
  return { search, byAddress, place, roleId, status, debt, unverified, factor, unspent, ...span };
}
