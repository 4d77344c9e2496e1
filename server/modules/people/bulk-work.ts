import { DomainError, type ErrorCode } from '#shared/errors.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import type { Access } from '../access/index.ts';
import type { Events } from '../events/index.ts';
import type { Identity } from '../identity/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { Clock, FindPlaceTrace, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { LongReads, Tx, UnitOfWork } from '../tx.ts';
import type { BulkQuestion, BulkWork } from './bulk-ports.ts';
import type { PeopleQuery, ListedUser } from './ports.ts';

/** Kind of the job that works a run off. */
const BULK_JOB = 'people.bulk';
/** Users of one run of the job, after which others have their turn. */
const SLICE = 200;

export interface BulkDeps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly access: Pick<Access, 'assignRole'>;
  readonly identity: Pick<Identity, 'confirmAddressIn'>;
  readonly events: Pick<Events, 'emit'>;
  readonly findPlaceTrace: FindPlaceTrace;
}
/** The job that works a run off (bulk-all.ts), some hundred users at a time. */
export function createBulkJobs(deps: BulkDeps) {
  const { uow, long, clock, ids } = deps;

  /** Works off a slice of a run, and has the next one come. */
  async function workOff(id: string): Promise<void> {
    const run = await uow.read((tx) => tx.userBulk.find(id));
    if (run?.state !== 'running') return;
    const query = { ...toQuery(run.question, run.createdMs), ...(run.position ? { after: run.position } : {}) };
    const page = await long.read((tx) => tx.people.list({ ...query, limit: SLICE }), { for: 'job' });
    let counted = run.done + run.refused;
    for (const row of page.rows) {
      // Who registered since was not meant.
      if (row.createdMs > run.createdMs) continue;
      const going = await workOn(run, row, counted);
      if (!going) return;
      counted += 1;
    }
    const last = page.rows.at(-1);
    await uow.run(async (tx) => {
      if (!last || !page.goesOn) return finish(tx, id, 'done');
      if (await tx.userBulk.advance(id, counted, { position: last.cursor, outcome: null }))
        await enqueue(tx, ids, clock, jobOf(id, clock.now() + SECOND / 10));
    });
  }

  /** Does it for one user, or counts them as refused. False where the run is over, or somebody else works on it. */
  async function workOn(run: BulkWork, { id: userId, cursor }: ListedUser, counted: number): Promise<boolean> {
    const advance = (tx: Tx, outcome: 'done' | 'refused') =>
      tx.userBulk.advance(run.id, counted, { position: cursor, outcome });
    try {
      return await uow.run(async (tx) => {
        const ctx = await contextOf(tx, run.startedBy);
        if (!ctx) return stop(tx, run.id);
        if (!(await advance(tx, 'done'))) return false;
        await apply(tx, ctx, run, userId);
        return true;
      });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (ENDS_ALL.has(error.code)) return uow.run((tx) => stop(tx, run.id));
      return uow.run((tx) => advance(tx, 'refused'));
    }
  }

  async function apply(tx: Tx, ctx: SignedIn, { id, kind, input }: BulkWork, userId: string): Promise<void> {
    if (kind === 'setRole') return deps.access.assignRole(tx, ctx, userId, input.role ?? '');
    if (kind === 'confirm') return deps.identity.confirmAddressIn(tx, ctx, userId);
    const user = await tx.identity.findUser(userId);
    if (!user || user.status === 'deleted') throw new DomainError('NOT_FOUND');
    const { subject = '', text = '' } = input;
    const payload = { userId, username: user.username, subject, text, key: `bulk:${id}:${userId}` };
    return deps.events.emit(tx, 'user.written', payload, ctx);
  }

  async function stop(tx: Tx, id: string): Promise<boolean> {
    await finish(tx, id, 'stopped');
    return false;
  }

  /** Ends a run and notifies whoever started it. */
  async function finish(tx: Tx, id: string, state: 'done' | 'stopped'): Promise<void> {
    const run = await tx.userBulk.find(id);
    if (!run || !(await tx.userBulk.finish(id, state, clock.now()))) return;
    const { startedBy: userId, done, refused } = run;
    await deps.events.emit(tx, 'users.bulk_finished', { userId, runId: id, state, done, refused });
  }

  const job = {
    leaseMs: 10 * MINUTE,
    async handle(payload: unknown): Promise<void> {
      const id = idOf(payload);
      if (id !== null) await workOff(id);
    },
    /** The runner gives up. */
    async dead(payload: unknown): Promise<void> {
      const id = idOf(payload);
      if (id !== null) await uow.run((tx) => finish(tx, id, 'stopped'));
    },
  };

  return { [BULK_JOB]: job };
}

/** Whoever started a run, with the rights they have by now; null where they may not go on with it. */
async function contextOf(tx: Tx, userId: string): Promise<SignedIn | null> {
  const user = await tx.identity.findUser(userId);
  if (user?.status !== 'active') return null;
  const permissions = await tx.access.permissionsOf(user.roleId);
  const actor = { userId, sessionId: '', username: user.username, permissions, verified: true };
  const ctx: SignedIn = {
    actor,
    requestId: BULK_JOB,
    locale: user.locale,
    address: '',
    userAgent: '',
    idempotency: null,
  };
  try {
    assertMay(ctx, 'admin.users.edit');
    return ctx;
  } catch {
    return null;
  }
}

/** Refusals that every other user would meet as well. */
const ENDS_ALL: ReadonlySet<ErrorCode> = new Set(['VALIDATION_FAILED']);

/** The job of a run. */
export const jobOf = (id: string, runAtMs?: number) => ({
  kind: BULK_JOB,
  payload: { id },
  uniqueKey: `bulk:${id}`,
  ...(runAtMs === undefined ? {} : { runAtMs }),
});

function idOf(payload: unknown): string | null {
  const { id } = payload as { id?: unknown };
  return typeof id === 'string' ? id : null;
}

/**
 * The walk through those who fit: the oldest account first. By when they were last seen the longest ago comes first, so
 * that whoever is seen meanwhile moves ahead of the walk and is not missed.
 */
export function toQuery(question: BulkQuestion, nowMs: number): PeopleQuery {
  return { ...question, sort: question.seen ? 'seen' : 'created', dir: 'asc', nowMs, limit: SLICE };
}
