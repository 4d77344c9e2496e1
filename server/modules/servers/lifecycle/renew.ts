import type { LifecycleDeps } from './deps.ts';
import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { iso } from '#shared/time.ts';
import { runOnce } from '../../idempotency/index.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import {
  DUE_MS,
  renewalTerms,
  lockServer,
  lockOwnServer,
  renewedExpiry,
  renewRefusal,
  toServerFacts,
} from '../core/index.ts';
import type { ServerRow } from '../core/ports.ts';

/**
 * Pays a period of a locked server and moves its expiry, in the running transaction; one suspended for expiry comes
 * back. The ledger's reference holds the number of the period, so the database refuses a second payment of the same
 * one. Out: the new expiry. Throws SERVER_SUSPENDED, SERVER_NOT_READY, RENEW_TOO_FAR, INSUFFICIENT_CREDITS,
 * SPENDING_BLOCKED.
 */
export async function payPeriod(deps: LifecycleDeps, tx: Tx, server: ServerRow, actor: string | null): Promise<number> {
  const now = deps.clock.now();
  const { cost, days, maxDays } = renewalTerms(deps);
  const refusal = renewRefusal(server, now, { days, maxDays });
  if (refusal) throw new DomainError(refusal);
  if (cost > 0) {
    await deps.ledger.transfer(tx, {
      kind: 'server.renew',
      reference: `renew:${server.id}:${server.periods}`,
      subject: server.name,
      ...(actor === null ? {} : { actor }),
      postings: [{ source: `user:${server.userId}`, destination: 'system:renewal', amount: toCredits(cost) }],
    });
  }
  const expiresMs = renewedExpiry(now, server.expiresMs, days);
  await tx.servers.update(server.id, { expiresMs, periods: server.periods + 1 }, now);
  await deps.history.record(tx, server, actor === null ? 'autoRenewed' : 'renewed', iso(expiresMs), actor);
  if (server.state === 'suspended') await resumeExpired(deps, tx, server);
  await deps.events.emit(tx, 'server.renewed', {
    ...toServerFacts(server),
    cost,
    expiresMs,
    automatic: actor === null,
  });
  return expiresMs;
}

/** Brings a locked server back that was suspended for expiry. */
export async function resumeExpired(deps: LifecycleDeps, tx: Tx, server: ServerRow): Promise<void> {
  const revision = server.revision + 1;
  await tx.servers.update(
    server.id,
    { state: 'active', suspendReason: null, desired: 'running', revision },
    deps.clock.now(),
  );
  await deps.jobs.enqueueSync(tx, { id: server.id, revision });
  await deps.history.record(tx, server, 'resumed', 'expired');
  await deps.events.emit(tx, 'server.resumed', { ...toServerFacts(server), revision });
}

function assertRenewals(deps: LifecycleDeps): void {
  if (!deps.settings.flags().server_renew_enabled) throw new DomainError('FEATURE_DISABLED');
}

/**
 * Renews a server for a period (behaviour 6.5), once an Idempotency-Key. `price` and `expiresAt` are what the owner
 * saw: another price is PRICE_CHANGED, and another expiry CONFLICT, so that a click that was repeated does not pay a
 * second period. Out: the new expiry (UTC ms), and the balance afterwards.
 */
export function renewServer(
  deps: LifecycleDeps,
  ctx: SignedIn,
  id: string,
  shown: { price: number; expiresAt: string | null },
): Promise<{ expiresMs: number; balance: number }> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const { userId } = ctx.actor;
    assertRenewals(deps);
    const server = await lockOwnServer(tx, userId, id);
    if (renewalTerms(deps).cost !== shown.price) throw new DomainError('PRICE_CHANGED');
    if (iso(server.expiresMs) !== shown.expiresAt) throw new DomainError('CONFLICT');
    const expiresMs = await payPeriod(deps, tx, server, userId);
    return { expiresMs, balance: await deps.ledger.balance(tx, `user:${userId}`) };
  });
}

/** Whether a server wants paying now: suspended for expiry, or due within 3 days. */
function isDue(server: ServerRow, nowMs: number): boolean {
  if (server.state === 'suspended') return server.suspendReason === 'expired';
  return server.state === 'active' && server.expiresMs !== null && server.expiresMs <= nowMs + DUE_MS;
}

/** Of a user's servers those that are due and can be paid, in the order the user chose, then the oldest expiry first. */
export function listDue(deps: LifecycleDeps, servers: readonly ServerRow[]): ServerRow[] {
  if (!deps.settings.flags().server_renew_enabled) return [];
  const now = deps.clock.now();
  const { days, maxDays } = renewalTerms(deps);
  return servers
    .filter((server) => isDue(server, now) && renewRefusal(server, now, { days, maxDays }) === null)
    .sort(
      (a, b) =>
        a.autoRenewOrder - b.autoRenewOrder || (a.expiresMs ?? 0) - (b.expiresMs ?? 0) || (a.id < b.id ? -1 : 1),
    );
}

/**
 * Renews everything that is due, as far as the balance goes ("pay all due"). `price` is the sum the owner saw. Throws
 * PRICE_CHANGED, and INSUFFICIENT_CREDITS where the balance does not pay for even one. Out: how many were renewed and
 * how many were not.
 */
export function renewAllDue(
  deps: LifecycleDeps,
  ctx: SignedIn,
  price: number,
): Promise<{ renewed: number; skipped: number; balance: number }> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const { userId } = ctx.actor;
    assertRenewals(deps);
    await tx.limits.lock(userId);
    const { cost } = renewalTerms(deps);
    const due = listDue(deps, await tx.servers.listByUser(userId));
    if (price !== due.length * cost) throw new DomainError('PRICE_CHANGED');
    let balance = await deps.ledger.balance(tx, `user:${userId}`);
    let renewed = 0;
    for (const { id } of due) {
      const server = balance >= cost ? await lockServer(tx, id) : null;
      if (!server) continue;
      await payPeriod(deps, tx, server, userId);
      balance -= cost;
      renewed += 1;
    }
    if (renewed === 0 && due.length > 0) throw new DomainError('INSUFFICIENT_CREDITS');
    return { renewed, skipped: due.length - renewed, balance };
  });
}

/**
 * Turns automatic renewal of a server on or off. `order`: its place among the owner's servers where the balance does
 * not pay for all, the lowest first; as it is where absent. Throws NOT_FOUND.
 */
export function setAutoRenew(
  deps: LifecycleDeps,
  ctx: SignedIn,
  id: string,
  on: boolean,
  order?: number,
): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await lockOwnServer(tx, ctx.actor.userId, id);
    const autoRenewOrder = order ?? server.autoRenewOrder;
    if (server.autoRenew === on && server.autoRenewOrder === autoRenewOrder) return;
    await tx.servers.update(id, { autoRenew: on, autoRenewOrder }, deps.clock.now());
    if (server.autoRenew === on) return;
    await deps.history.record(tx, server, on ? 'autoRenewOn' : 'autoRenewOff', null, ctx.actor.userId);
  });
}
