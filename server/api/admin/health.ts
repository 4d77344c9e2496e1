import type { output } from 'zod/mini';
import type { Handlers } from '#server/http/implement.types.ts';
import type { HealthPage } from '#server/modules/health/index.ts';
import type { adminHealth } from '#shared/contract/health.ts';
import { iso } from '#shared/time.ts';

type Page = Awaited<ReturnType<HealthPage['get']>>;

function presentPage({ checkedMs, rows, day, jobs, proving }: Page) {
  return {
    checked_at: iso(checkedMs),
    rows: rows.map(({ key, subject, code, status, facts, checkedMs: atMs, tookMs, trend }) => ({
      key,
      subject,
      code,
      status,
      facts: { ...facts },
      checked_at: iso(atMs),
      took_ms: tookMs,
      trend,
    })),
    day: {
      from: iso(day.fromMs),
      stretch_ms: day.stretchMs,
      statuses: [...day.statuses],
      causes: day.causes.map((keys) => [...keys]),
    },
    jobs: jobs.map(({ name, lastMs, tookMs, nextMs, recent, lastError }) => ({
      name,
      last_at: iso(lastMs),
      took_ms: tookMs,
      next_at: iso(nextMs),
      recent: [...recent],
      error: lastError,
    })),
    proving,
  } satisfies output<(typeof adminHealth)['get']['response']>;
}

/** The page of the installation's health. */
export function healthHandlers({ healthPage }: { healthPage: HealthPage }): Handlers<typeof adminHealth> {
  return {
    get: async () => presentPage(await healthPage.get()),
    check: async (ctx) => ({ checked_at: iso((await healthPage.check(ctx)).checkedMs) }),
    proveLedger: (ctx) => healthPage.proveLedger(ctx),
  };
}
