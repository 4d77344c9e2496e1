import type { DebtsDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import type { Tx } from '../../tx.ts';
import type { ServerDebt, ServerRow } from '../core/ports.ts';
import { DUE_MS, renewalTerms } from '../core/index.ts';

/** What somebody's next server begins with because of one that was deleted. */
export interface CarriedDebt {
  /** Name of the deleted server. */
  readonly server: string;
  /** Credits to be paid when the new one is made; 0: none, it only ends when the old one would have. */
  readonly owed: number;
  /** End of the time that the deleted one had, UTC ms. */
  readonly endedMs: number;
  /** From this moment on a new server begins as if nothing had been deleted. */
  readonly untilMs: number;
}

const areDebtsEnabled = (deps: DebtsDeps): boolean =>
  deps.settings.flags().server_renew_enabled && deps.settings.current().renew_debt_enabled;

/**
 * What the deletion of a server now would leave for the owner's next one (behaviour 6.6: deleting does not buy time);
 * null: nothing. A server whose time is over, or so short before its end that its payment was due, leaves the price of
 * the period it did not pay; any other one leaves its end. What staff or a ban keep suspended leaves nothing: nobody
 * could pay for it.
 */
export function debtIfDeleted(deps: DebtsDeps, server: ServerRow): CarriedDebt | null {
  const { expiresMs } = server;
  const { cost, days } = renewalTerms(deps);
  const inUse = server.state === 'active' || (server.state === 'suspended' && server.suspendReason === 'expired');
  if (!areDebtsEnabled(deps) || !inUse || expiresMs === null || cost === 0) return null;
  const now = deps.clock.now();
  const due = expiresMs <= now + DUE_MS;
  const untilMs = due ? expiresMs + days * DAY : expiresMs;
  return untilMs > now ? { server: server.name, owed: due ? cost : 0, endedMs: expiresMs, untilMs } : null;
}

/** Writes down what a deletion leaves, in its transaction. */
export async function recordDebt(deps: DebtsDeps, tx: Tx, server: ServerRow): Promise<void> {
  const left = debtIfDeleted(deps, server);
  if (!left) return;
  const { owed, endedMs, untilMs } = left;
  await tx.servers.addDebt({
    serverId: server.id,
    userId: server.userId,
    name: server.name,
    owed,
    endedMs,
    untilMs,
    createdMs: deps.clock.now(),
  });
}

/** A debt as it weighs now: before the old end nothing is owed, and never more than a renewal costs. */
function currentDebt(deps: DebtsDeps, debt: ServerDebt): CarriedDebt {
  const owed = debt.endedMs > deps.clock.now() ? 0 : Math.min(debt.owed, renewalTerms(deps).cost);
  return { server: debt.name, owed, endedMs: debt.endedMs, untilMs: debt.untilMs };
}

/**
 * The debt that the next server of a user takes over, the one that ended first; null without one. One that would
 * neither cost nor shorten anything is passed over.
 */
async function findNextDebt(deps: DebtsDeps, tx: Tx, userId: string): Promise<ServerDebt | null> {
  if (!areDebtsEnabled(deps)) return null;
  const now = deps.clock.now();
  const open = await tx.servers.listOpenDebts(userId, now);
  return open.find((debt) => debt.endedMs > now || currentDebt(deps, debt).owed > 0) ?? null;
}

/** What a server that this user made now would begin with; null: with a period like any other. */
export async function findCarriedDebt(deps: DebtsDeps, tx: Tx, userId: string): Promise<CarriedDebt | null> {
  const debt = await findNextDebt(deps, tx, userId);
  return debt && currentDebt(deps, debt);
}

/**
 * Takes over the next debt for a server that is being queued, once: each debt falls to one server. What is owed is
 * reserved, and spent when the server is there. `price` is what the owner saw. The owner's limits must be locked. Out:
 * the latest end of the first period, or null where nothing is taken over. Throws PRICE_CHANGED, INSUFFICIENT_CREDITS,
 * SPENDING_BLOCKED.
 */
export async function takeDebt(
  deps: DebtsDeps,
  tx: Tx,
  server: { id: string; userId: string; name: string; queueId: string },
  price: number,
): Promise<number | null> {
  const debt = await findNextDebt(deps, tx, server.userId);
  const amount = debt ? currentDebt(deps, debt).owed : 0;
  if (amount !== price) throw new DomainError('PRICE_CHANGED');
  if (!debt) return null;
  const reference = `server.start:${server.id}:${server.queueId}`;
  const hold =
    amount > 0
      ? await deps.ledger.hold(tx, {
          userId: server.userId,
          amount,
          reference,
          kind: 'server.start',
          subject: server.name,
        })
      : null;
  if (!(await tx.servers.takeDebt(debt.serverId, { by: server.id, holdId: hold?.holdId ?? null })))
    throw new DomainError('CONFLICT');
  return debt.endedMs > deps.clock.now() ? debt.endedMs : null;
}

/** The server is there: what it took over is paid, for good. */
export async function closeDebt(deps: DebtsDeps, tx: Tx, server: ServerRow): Promise<void> {
  const debt = await tx.servers.findDebtTakenBy(server.id);
  if (!debt) return;
  if (debt.holdId !== null) {
    await deps.ledger.capture(tx, debt.holdId, {
      destination: 'system:renewal',
      kind: 'server.renew',
      reference: `renew:${server.id}:start:${debt.serverId}`,
      subject: server.name,
    });
  }
  await tx.servers.updateDebt(debt.serverId, 'closed');
}

/** The server never came to be: what was reserved is the owner's again, and the debt waits for the next one. */
export async function reopenDebt(deps: DebtsDeps, tx: Tx, serverId: string): Promise<void> {
  const debt = await tx.servers.findDebtTakenBy(serverId);
  if (!debt) return;
  if (debt.holdId !== null) await deps.ledger.release(tx, debt.holdId);
  await tx.servers.updateDebt(debt.serverId, 'open');
}
