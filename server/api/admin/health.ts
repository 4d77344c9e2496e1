import type { Handlers } from '#server/http/implement.types.ts';
import type { HealthPage } from '#server/modules/health/index.ts';
import type { adminHealth } from '#shared/contract/health.ts';

/** The page of the installation's health. */
export function healthHandlers({ healthPage }: { healthPage: HealthPage }): Handlers<typeof adminHealth> {
  return {
    get: () => healthPage.get(),
    check: (ctx) => healthPage.check(ctx),
    proveLedger: (ctx) => healthPage.proveLedger(ctx),
  };
}
