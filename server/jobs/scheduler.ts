import { SECOND } from '#shared/time.ts';
import type { Clock, Log } from '#server/modules/kernel.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';

/** Work that comes round: no cron, the product keeps its own clock. */
export interface ScheduledTask {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<void>;
}

export interface Scheduler {
  /** Runs the tasks whose turn it is. Of several processes one takes each turn. */
  tick(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/**
 * A scheduler whose turns are rows, so that they outlive a restart and are taken once among several processes. Time that was slept
 * through gives one turn, not many; a clock that was set back does not make a task wait for it to catch up. A task that throws has its
 * next turn as planned; one that takes long holds up no other.
 */
export function createScheduler(deps: { uow: UnitOfWork; clock: Clock; log: Log; tasks: readonly ScheduledTask[] }): Scheduler {
  const { uow, clock, log, tasks } = deps;
  const running = new Map<string, Promise<void>>();
  let timer: ReturnType<typeof setInterval> | null = null;

  async function turn(task: ScheduledTask): Promise<void> {
    const now = clock.now();
    if (!(await uow.run((tx) => tx.jobs.takeTurn(task.name, now, now + task.everyMs)))) return;
    let fault: string | null = null;
    try {
      await task.run();
    } catch (error) {
      fault = textOf(error);
      log.error('schedule.failed', { task: task.name, error: fault });
    }
    await uow.run((tx) => tx.jobs.endTurn(task.name, fault));
  }
  /** One turn of a task; the one under way where there is one. Never rejects. */
  function once(task: ScheduledTask): Promise<void> {
    const under = running.get(task.name);
    if (under) return under;
    const run = turn(task)
      .catch((error: unknown) => log.error('schedule.turn_failed', { task: task.name, error: textOf(error) }))
      .finally(() => running.delete(task.name));
    running.set(task.name, run);
    return run;
  }
  function beat(): void {
    for (const task of tasks) void once(task);
  }
  return {
    async tick() {
      for (const task of tasks) await once(task);
    },
    start() {
      timer ??= setInterval(beat, SECOND);
      beat();
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
