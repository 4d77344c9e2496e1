import { MINUTE } from '#shared/time.ts';
import type { JobHandler } from '../jobs/runner.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createPayments, paymentJobs, type Payments } from '../modules/payments/index.ts';
import { createPaypalGateway } from '../payments/paypal.ts';
import { createStripeGateway } from '../payments/stripe.ts';
import type { Outbound } from '../outbound.ts';
import { printReceipt } from '../receipts/print.ts';

type Deps = Omit<Parameters<typeof createPayments>[0], 'gateways'> & { readonly outbound: Outbound };

/** Payments over their gateways, with their jobs and turns. */
export function composePayments(deps: Deps): {
  payments: Payments;
  printReceipt: typeof printReceipt;
  jobs: Record<string, JobHandler>;
  tasks: ScheduledTask[];
} {
  const { outbound, ...own } = deps;
  const gateways = [createStripeGateway({ ...own, fetch: outbound }), createPaypalGateway({ ...own, fetch: outbound })];
  const payments = createPayments({ ...own, gateways });
  return {
    payments,
    printReceipt,
    jobs: paymentJobs(payments),
    tasks: [{ name: 'payments.reconcile', everyMs: 5 * MINUTE, run: async () => void (await payments.reconcile()) }],
  };
}
