import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { LeasedJob } from '../jobs/index.ts';
import { SERVER_JOBS, QUEUE, syncPauseMs } from './core/index.ts';
import { BUILD_LINE } from './outages/index.ts';
import type { Servers } from './service.ts';

interface JobHandler {
  readonly leaseMs: number;
  readonly renews?: boolean;
  readonly concurrency?: number;
  readonly line?: typeof BUILD_LINE;
  readonly endsItself?: boolean;
  handle(payload: unknown, job: LeasedJob): Promise<void>;
  backoffMs(attempt: number): number;
}
interface Task {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<void>;
}

/** A comparison with every panel takes a call a page, within their limits. */
const RECONCILE_LEASE_MS = 20 * MINUTE;
/** Steps of schedules that are carried out at once: all that are due at four in the morning do not begin together. */
const SCHEDULE_STEPS_TOGETHER = 4;
/** A text of a job's payload. Throws where it is missing, which can only be a fault of ours. */
function textOf(payload: unknown, key: string): string {
  const value: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, key) : undefined;
  if (typeof value !== 'string') throw new TypeError(`job without ${key}`);
  return value;
}
function countOf(payload: unknown, key: string): number {
  const value: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, key) : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

const partOf = (payload: unknown, key: string): unknown =>
  typeof payload === 'object' && payload !== null ? Reflect.get(payload, key) : undefined;
const flagOf = (payload: unknown, key: string): boolean => partOf(payload, key) === true;
function textOrNull(payload: unknown, key: string): string | null {
  const value = partOf(payload, key);
  return typeof value === 'string' ? value : null;
}

/**
 * Handlers of this module's jobs. Should a job outlive its lease, a second run of it does no harm: a build changes
 * nothing without its lease, and a sync begins with what it finds.
 */
export function serverJobs(servers: Servers): Readonly<Record<string, JobHandler>> {
  const backoffMs = (attempt: number) => Math.min(10 * MINUTE, 5 * SECOND * 2 ** attempt);
  // None does harm when it runs twice at once: another process takes over soon after a kill.
  const lease = { leaseMs: 2 * MINUTE, renews: true };
  return {
    [SERVER_JOBS.build]: {
      leaseMs: QUEUE.leaseMs,
      renews: true,
      backoffMs,
      concurrency: QUEUE.concurrency,
      line: BUILD_LINE,
      endsItself: true,
      handle: (_, job) => servers.build(job),
    },
    [SERVER_JOBS.sync]: {
      ...lease,
      backoffMs: (attempt) => syncPauseMs(attempt - 1),
      handle: (payload, job) =>
        servers.sync(
          {
            serverId: textOf(payload, 'serverId'),
            revision: countOf(payload, 'revision'),
            force: flagOf(payload, 'force'),
          },
          job.attempts,
        ),
    },
    [SERVER_JOBS.account]: {
      ...lease,
      backoffMs: (attempt) => syncPauseMs(attempt - 1),
      handle: (payload) => servers.syncAccounts(textOf(payload, 'userId')),
    },
    [SERVER_JOBS.capacity]: {
      ...lease,
      backoffMs: (attempt) => syncPauseMs(attempt - 1),
      handle: (payload) => servers.refreshCapacity(textOf(payload, 'panel'), textOrNull(payload, 'node')),
    },
    [SERVER_JOBS.reconcile]: {
      leaseMs: RECONCILE_LEASE_MS,
      renews: true,
      backoffMs,
      handle: () => servers.reconcileNow(),
    },
    [SERVER_JOBS.schedule]: {
      ...lease,
      backoffMs,
      concurrency: SCHEDULE_STEPS_TOGETHER,
      handle: (payload) =>
        servers.schedules.runStep({
          scheduleId: textOf(payload, 'scheduleId'),
          runId: textOf(payload, 'runId'),
          step: countOf(payload, 'step'),
        }),
    },
    [SERVER_JOBS.owner]: {
      ...lease,
      backoffMs,
      handle: (payload) => servers.syncWithOwnerStatus(textOf(payload, 'userId')),
    },
  };
}

/** What the scheduler runs for servers. The sweeps catch what a lost job left behind. */
export function serverTasks(servers: Servers): readonly Task[] {
  return [
    { name: 'servers.owners', everyMs: MINUTE, run: () => servers.syncOwners() },
    { name: 'servers.expiry', everyMs: MINUTE, run: () => servers.processExpiry() },
    {
      name: 'servers.schedules',
      everyMs: MINUTE,
      run: async () => {
        await servers.schedules.beginDue();
      },
    },
    {
      name: 'servers.waitingList',
      everyMs: MINUTE,
      run: async () => {
        await servers.notifyWaiting();
      },
    },
    {
      name: 'servers.reconcile',
      everyMs: 10 * MINUTE,
      run: async () => {
        await servers.reconcile();
      },
    },
    {
      name: 'servers.reservations',
      everyMs: 5 * MINUTE,
      run: async () => {
        await servers.sweepReservations();
      },
    },
    {
      name: 'servers.outages',
      everyMs: MINUTE,
      run: async () => {
        await servers.checkOutages();
      },
    },
    {
      name: 'servers.accounts',
      everyMs: 10 * MINUTE,
      run: async () => {
        await servers.enqueueStaleAccounts();
      },
    },
    {
      name: 'servers.requeueStale',
      everyMs: 5 * MINUTE,
      run: async () => {
        await servers.requeueStale(HOUR);
      },
    },
  ];
}
