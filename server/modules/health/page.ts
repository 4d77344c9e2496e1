import { HOUR } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { Schedule } from '../jobs/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';
import { LEDGER_TASK } from './checks.ts';
import type { Health } from './service.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly health: Pick<Health, 'check' | 'current' | 'history'>;
}
export type HealthPage = ReturnType<typeof createHealthPage>;

/** A run that took longer than this was cut off with its process. */
const ABANDONED_MS = HOUR;

/** Whether a scheduled task runs just now. */
function isRunning({ lastMs, tookMs }: Pick<Schedule, 'lastMs' | 'tookMs'>, nowMs: number): boolean {
  return lastMs !== null && tookMs === null && nowMs - lastMs < ABANDONED_MS;
}

/** The page of the installation's health for staff (behaviour 8.7). */
export function createHealthPage({ uow, clock, ids, health }: Deps) {
  return {
    /** The last checks with their day, and the scheduled tasks. Times are UTC ms, lengths of time ms. */
    async get() {
      const [report, history, schedules] = await Promise.all([
        health.current(),
        health.history(),
        uow.read((tx) => tx.jobs.listSchedules()),
      ]);
      const trendOf = (key: string, subject: string | null) =>
        history.stretches
          .filter((each) => each.key === key && each.subject === (subject ?? ''))
          .flatMap(({ figure }) => (figure === null ? [] : [figure]));
      return {
        checkedMs: report.atMs,
        rows: report.rows.map(({ key, subject, code, status, facts, atMs, tookMs }) => ({
          key,
          subject,
          code,
          status,
          facts,
          checkedMs: atMs,
          tookMs,
          trend: trendOf(key, subject),
        })),
        day: {
          fromMs: history.fromMs,
          stretchMs: history.stretchMs,
          statuses: history.statuses,
          causes: history.causes,
        },
        jobs: schedules.map(({ name, nextMs, lastMs, lastError, tookMs, recent }) => ({
          name,
          lastMs,
          tookMs,
          nextMs,
          recent,
          lastError,
        })),
        proving: schedules.some((each) => each.name === LEDGER_TASK && isRunning(each, clock.now())),
      };
    },
    /** Checks everything now. Out: when that was (UTC ms). */
    async check(ctx: SignedIn): Promise<{ checkedMs: number }> {
      assertMay(ctx, 'admin.health.view');
      const { atMs } = await health.check({ all: true });
      return { checkedMs: atMs };
    },
    /**
     * Has the scheduler prove the ledger at its next turn, away from the thread that answers. Nothing where a proof is
     * running or about to: there are never two at once, in all processes together.
     */
    async proveLedger(ctx: SignedIn): Promise<{ started: boolean }> {
      assertMay(ctx, 'admin.health.view');
      return uow.run(async (tx) => {
        const now = clock.now();
        const started = await tx.jobs.requestRun(LEDGER_TASK, now, now - ABANDONED_MS);
        if (started) await writeAudit(tx, { clock, ids }, ctx, { action: 'health.proveLedger' });
        return { started };
      });
    },
  };
}
