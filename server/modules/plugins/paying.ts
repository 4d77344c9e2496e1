import { toCredits } from '#shared/credits.ts';
import { dayIn } from '#shared/time.ts';
import type { Events } from '../events/index.ts';
import type { Clock } from '../kernel.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Tx } from '../tx.ts';

export interface PayingDeps {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, 'transfer'>;
  readonly events: Pick<Events, 'emit'>;
  readonly settings: { current(): { readonly app_timezone: string } };
}
/** What a plugin pays. */
interface PluginPayment {
  readonly identifier: string;
  /** Who gives it, in words, for statement and notification. */
  readonly name: string;
  readonly userId: string;
  /** Credits, 1 or more. */
  readonly amount: number;
  /** Unique among the payments of the plugin: what it pays for. */
  readonly reference: string;
  /** Credits that the plugin may pay in a day, to everybody together. */
  readonly budget: number;
}
/** `before`: this reference was paid already; `spent`: the budget of the day does not cover it, nothing was paid. */
type PaidState = 'paid' | 'before' | 'spent';

/**
 * Pays a user from the daily budget of a plugin, once a reference, and notifies them. Works inside the caller's
 * transaction. Throws what the ledger throws; the caller's transaction is to be given up then.
 */
export async function payFromPlugin(deps: PayingDeps, tx: Tx, payment: PluginPayment): Promise<PaidState> {
  const { identifier, name, userId, amount, budget } = payment;
  const reference = `plugin:${identifier}:${payment.reference}`;
  if (await tx.ledger.byReference(reference)) return 'before';
  const day = dayIn(deps.clock.now(), deps.settings.current().app_timezone);
  if (!(await tx.plugins.spendWithin(identifier, day, amount, budget))) return 'spent';
  await deps.ledger.transfer(tx, {
    kind: 'plugin',
    reference,
    subject: name,
    actor: userId,
    postings: [{ source: 'system:plugins', destination: `user:${userId}`, amount: toCredits(amount) }],
  });
  await deps.events.emit(tx, 'plugin.paid', { identifier, name, userId, amount, reference });
  return 'paid';
}
