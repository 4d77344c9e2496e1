import { HOUR, iso } from '#shared/time.ts';
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
        checked_at: iso(report.atMs),
        rows: report.rows.map(({ key, subject, code, status, facts, atMs, tookMs }) => ({
          key,
          subject,
          code,
          status,
          facts: { ...facts },
          checked_at: iso(atMs),
          took_ms: tookMs,
          trend: trendOf(key, subject),
        })),
        day: {
          from: iso(history.fromMs),
          stretch_ms: history.stretchMs,
          statuses: [...history.statuses],
          causes: history.causes.map((keys) => [...keys]),
        },
        jobs: schedules.map(({ name, nextMs, lastMs, lastError, tookMs, recent }) => ({
          name,
          last_at: lastMs === null ? null : iso(lastMs),
          took_ms: tookMs,
          next_at: iso(nextMs),
          recent: [...recent],
          error: lastError,
        })),
        proving: schedules.some((each) => each.name === LEDGER_TASK && isRunning(each, clock.now())),
      };
    },
    async check(ctx: SignedIn) {
      assertMay(ctx, 'admin.health.view');
      const { atMs } = await health.check({ all: true });
      return { checked_at: iso(atMs) };
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
