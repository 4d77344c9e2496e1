import { MINUTE } from '#shared/time.ts';
import type { JobHandler } from './jobs/runner.ts';
import type { ScheduledTask } from './jobs/scheduler.ts';
import { createPayments, paymentJobs, type Payments } from './modules/payments/index.ts';
import { createPaypalGateway } from './payments/paypal.ts';
import { createStripeGateway } from './payments/stripe.ts';
import { printReceipt } from './receipts/print.ts';

type Deps = Omit<Parameters<typeof createPayments>[0], 'gateways'>;

/** Payments over their gateways, with their jobs and turns. */
export function composePayments(deps: Deps): { payments: Payments; printReceipt: typeof printReceipt; jobs: Record<string, JobHandler>; tasks: ScheduledTask[] } {
  const gateways = [createStripeGateway(deps), createPaypalGateway(deps)];
  const payments = createPayments({ ...deps, gateways, appUrl: deps.appUrl.replace(/\/+$/, '') });
  return {
    payments,
    printReceipt,
    jobs: paymentJobs(payments),
    tasks: [{ name: 'payments.reconcile', everyMs: 5 * MINUTE, run: async () => void (await payments.reconcile()) }],
  };
}
