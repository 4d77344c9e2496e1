import { enqueue } from '../../jobs/index.ts';
import type { NewJob } from '../../jobs/ports.ts';
import type { Clock, Ids } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';

/** Kinds of job of this module. */
export const SERVER_JOBS = {
  /** An attempt to build the server of a queue entry, whose id the job has. */
  build: 'servers.build',
  /** Brings the panel to what we want of one server: {serverId, revision}. */
  sync: 'servers.sync',
  /** Puts the servers of a user in step with a ban or its end: {userId}. Identity adds it in the transaction of the ban. */
  owner: 'servers.owner',
  /** Brings the panel accounts of a user to the address and names of now: {userId}. */
  account: 'servers.account',
  /** Reads the sums of a panel's nodes, and the ports of one of them: {panel, node}. */
  capacity: 'servers.capacity',
  /** Carries out a step of a run of a schedule: {scheduleId, runId, step}. */
  schedule: 'servers.schedule',
  /** Compares every panel with our rows now: {}. */
  reconcile: 'servers.reconcileNow',
} as const;

/** What is wanted of a panel is never given up. */
const UNLIMITED_ATTEMPTS = 1_000_000_000;

/** Where a server is made, as the line of builds knows the node of a panel. */
export const placeKeyOf = ({ panel, panelNode }: { panel: string | null; panelNode: string | null }): string =>
  `${panel ?? ''}/${panelNode ?? ''}`;

type Revision = { readonly id: string; readonly revision: number };
export type ServerJobs = ReturnType<typeof createServerJobs>;

/** The jobs of this module. Each is added in the running transaction: it exists if and only if the change does. */
export function createServerJobs({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }) {
  const add = (tx: Tx, job: NewJob): Promise<void> => enqueue(tx, ids, clock, job);
  return {
    /** Puts the build of a server into the queue: a job under the id of its entry. */
    enqueueBuild: (
      tx: Tx,
      entry: { id: string; userId: string; priority: number },
      server: { panel: string | null; panelNode: string | null },
    ) =>
      add(tx, {
        kind: SERVER_JOBS.build,
        id: entry.id,
        payload: null,
        maxAttempts: UNLIMITED_ATTEMPTS,
        line: {
          priority: entry.priority,
          groupKey: entry.userId,
          limitKey: server.panel ?? '',
          placeKey: placeKeyOf(server),
        },
      }),
    /**
     * Has the panel brought to what we want of a server. One unfinished job a revision, which tries until it is done;
     * `atMs` asks for one more comparison at that moment.
     */
    enqueueSync: (tx: Tx, { id, revision }: Revision, atMs?: number) =>
      add(tx, {
        kind: SERVER_JOBS.sync,
        payload: { serverId: id, revision },
        uniqueKey: `sync:${id}:${revision}${atMs === undefined ? '' : `:${atMs}`}`,
        runAtMs: atMs,
        maxAttempts: UNLIMITED_ATTEMPTS,
      }),
    /** Has a server removed from its panel even where its machine does not answer (staff only). */
    enqueueForcedDelete: (tx: Tx, { id, revision }: Revision) =>
      add(tx, {
        kind: SERVER_JOBS.sync,
        payload: { serverId: id, revision, force: true },
        uniqueKey: `force:${id}:${revision}`,
        maxAttempts: UNLIMITED_ATTEMPTS,
      }),
    /** Has the sums of a panel's nodes read, and with `node` its allocations. Several that wait are one job. */
    enqueueCapacity: (tx: Tx, panel: string, node: string | null = null) =>
      add(tx, {
        kind: SERVER_JOBS.capacity,
        payload: { panel, node },
        uniqueKey: `capacity:${panel}:${node ?? ''}`,
      }),
    /** The same under a key of the caller's, from a moment on: as long as it is open, the key is taken. */
    enqueueCapacityAt: (tx: Tx, panel: string, node: string | null, uniqueKey: string, runAtMs: number) =>
      add(tx, { kind: SERVER_JOBS.capacity, payload: { panel, node }, uniqueKey, runAtMs }),
    /** Has the panel accounts of a user follow the user's address and names. */
    enqueueAccount: (tx: Tx, userId: string) =>
      add(tx, { kind: SERVER_JOBS.account, payload: { userId }, uniqueKey: `account:${userId}` }),
    /** Has the servers of a user follow the user's status: a ban, or its end. */
    enqueueOwner: (tx: Tx, userId: string) =>
      add(tx, { kind: SERVER_JOBS.owner, payload: { userId }, uniqueKey: `owner:${userId}` }),
    /** Has a step of a run of a schedule carried out at a moment. */
    enqueueScheduleStep: (
      tx: Tx,
      step: { readonly scheduleId: string; readonly runId: string; readonly step: number },
      runAtMs: number,
    ) => add(tx, { kind: SERVER_JOBS.schedule, payload: step, runAtMs }),
    /** Has every panel compared with our rows. Several that wait are one job. */
    enqueueReconcile: (tx: Tx) =>
      add(tx, { kind: SERVER_JOBS.reconcile, payload: {}, uniqueKey: SERVER_JOBS.reconcile }),
  };
}
