import { SECOND } from '#shared/time.ts';
import { CLOCKS_APART_MS } from '#server/modules/jobs/index.ts';
import type { Clock, Ids, Log } from '#server/modules/kernel.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { everyInTime, RENEW_MS, RENEWED_MS } from './lease.ts';

/** Work that comes round: no cron, the product keeps its own clock. */
export interface ScheduledTask {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<void>;
}

export interface Scheduler {
  /** Runs the tasks that are due. Of several processes one does each run. */
  tick(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

interface SchedulerDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'token'>;
  readonly log: Log;
  readonly tasks: readonly ScheduledTask[];
  /**
   * Says that this process runs. Awaited before each round, so that no task acts on time that has passed without
   * knowing of an outage.
   */
  readonly alive?: () => Promise<void>;
  /** Runs something every so many ms until it is stopped; that of the system when absent. */
  readonly every?: (ms: number, run: () => void) => () => void;
}

/**
 * A scheduler whose runs are rows, so that they outlive a restart and are done once among several processes. A run
 * belongs to who has its lease, which is renewed for as long as it takes: no other process begins the task beside it,
 * and one that died is waited for no longer than a lease. Time that was slept through gives one run, not many; a clock
 * that was set back does not make a task wait for it to catch up. A task that throws has its next run as planned; one
 * that takes long holds up no other.
 */
export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { uow, clock, ids, log, tasks, every = everyInTime } = deps;
  const running = new Map<string, Promise<void>>();
  let timer: ReturnType<typeof setInterval> | null = null;

  async function runDue(task: ScheduledTask): Promise<void> {
    const now = clock.now();
    const token = ids.token();
    const lease = { token, untilMs: now + RENEWED_MS };
    if (!(await uow.run((tx) => tx.jobs.beginRun(task.name, now, now + task.everyMs, lease)))) return;
    let fault: string | null = null;
    const startedMs = performance.now();
    const stopRenewing = every(RENEW_MS, () => renew(task, token));
    try {
      await task.run();
    } catch (error) {
      fault = textOf(error);
      log.error('schedule.failed', { task: task.name, error: fault });
    } finally {
      stopRenewing();
    }
    const tookMs = Math.round(performance.now() - startedMs);
    if (!(await uow.run((tx) => tx.jobs.endRun(task.name, token, fault, tookMs))))
      log.warn('schedule.lease_lost', { task: task.name });
  }
  function renew(task: ScheduledTask, token: string): void {
    void uow
      .run((tx) => tx.jobs.renewRun(task.name, token, clock.now() + RENEWED_MS))
      .catch((error: unknown) => log.warn('schedule.not_renewed', { task: task.name, error: textOf(error) }));
  }
  /** One run of a task; the one under way where there is one. Never rejects. */
  function runOnce(task: ScheduledTask): Promise<void> {
    const current = running.get(task.name);
    if (current) return current;
    const run = runDue(task)
      .catch((error: unknown) => log.error('schedule.run_failed', { task: task.name, error: textOf(error) }))
      .finally(() => running.delete(task.name));
    running.set(task.name, run);
    return run;
  }
  let announcing = false;
  /** The tasks that look due, by one read: most rounds find none, and then nothing is written. */
  async function listDue(): Promise<ScheduledTask[]> {
    const now = clock.now();
    const next = new Map((await uow.read((tx) => tx.jobs.listSchedules())).map(({ name, nextMs }) => [name, nextMs]));
    return tasks.filter(({ name, everyMs }) => {
      const nextMs = next.get(name);
      return nextMs === undefined || nextMs <= now || nextMs > now + everyMs + CLOCKS_APART_MS;
    });
  }
  /** What a round runs: nothing before this process has said that it runs. Never rejects. */
  async function beginRound(): Promise<ScheduledTask[]> {
    try {
      await deps.alive?.();
      return await listDue();
    } catch (error) {
      log.error('schedule.round_failed', { error: textOf(error) });
      return [];
    }
  }
  async function beat(): Promise<void> {
    if (announcing) return;
    announcing = true;
    const due = await beginRound();
    announcing = false;
    if (timer) for (const task of due) void runOnce(task);
  }
  return {
    async tick() {
      for (const task of await beginRound()) await runOnce(task);
    },
    start() {
      timer ??= setInterval(() => void beat(), SECOND);
      void beat();
    },
    async stop() {
      if (timer) clearInterval(timer);
      timer = null;
      await Promise.all(running.values());
    },
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
