import type { LifecycleDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { DAY } from '#shared/time.ts';
import { runOnce } from '../../idempotency/index.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { lockOwnServer } from '../core/index.ts';
import { validateCreate } from './validate.ts';
import type { ServerResources } from '../panel/ports.ts';

export interface CreateInput {
  readonly name: string;
  readonly description: string;
  readonly locationId: string;
  readonly categoryId: string;
  readonly eggId: string;
  readonly resources: ServerResources;
  readonly variables: Readonly<Record<string, string>>;
  readonly autoRenew: boolean;
}

/** Whose a server is to be, with what its owner is allowed. */
export interface NewOwner {
  readonly userId: string;
  readonly permissions: readonly string[];
  /** Staff leave the owner's limits out. */
  readonly beyondLimits?: boolean;
  /**
   * Credits that its owner was shown as its price now: what a deleted server left owed. Absent where staff make it:
   * then nothing of that counts.
   */
  readonly price?: number;
}

/** A ban that came after the session was resolved still counts (attacks T34). */
async function assertGoodStanding(tx: Tx, userId: string): Promise<void> {
  const user = await tx.identity.findContact(userId);
  if (user?.status !== 'active')
    throw new DomainError(user?.status === 'banned' ? 'ACCOUNT_BANNED' : 'UNAUTHENTICATED');
}

/** First expiry of a server made now, or null while nothing expires. */
export function firstExpiry(deps: LifecycleDeps): number | null {
  return deps.settings.flags().server_renew_enabled
    ? deps.clock.now() + deps.settings.current().server_renew_days * DAY
    : null;
}

/** Puts a server at the end of the queue. */
async function addQueueEntry(
  deps: LifecycleDeps,
  tx: Tx,
  owner: NewOwner,
  {
    id: serverId,
    queueId: id,
    panel,
    node,
  }: { id: string; queueId: string; panel: string | null; node: string | null },
): Promise<void> {
  const now = deps.clock.now();
  const { userId } = owner;
  const priority = can(owner.permissions, 'user.permission.vip') ? 1 : 0;
  await tx.servers.addQueueEntry({
    id,
    serverId,
    userId,
    state: 'queued',
    priority,
    attempts: 0,
    lastError: null,
    createdMs: now,
    startedMs: null,
    doneMs: null,
    waitingSinceMs: null,
  });
  await deps.history.logStep(tx, { id, serverId }, 'queued');
  if (node !== null) await deps.history.logStep(tx, { id, serverId }, 'reserved');
  await deps.jobs.enqueueBuild(tx, { id, userId, priority }, { panel, panelNode: node });
}

/**
 * End of the first period of a server that is being queued: what a deleted one left counts, where the owner makes it.
 * Throws what `takeDebt` throws.
 */
async function firstPeriodEnd(
  deps: LifecycleDeps,
  tx: Tx,
  { price }: NewOwner,
  server: { id: string; userId: string; name: string; queueId: string },
): Promise<number | null> {
  const expiresMs = firstExpiry(deps);
  const latestMs = price === undefined ? null : await deps.debts.take(tx, server, price);
  return expiresMs === null || latestMs === null ? expiresMs : Math.min(expiresMs, latestMs);
}

/**
 * Creates a server (behaviour 6.1): checks, reserves and queues in one transaction, once an Idempotency-Key. Nothing is
 * charged, and the first payment is due at the end of the first period, unless a deleted server left something owed:
 * `price` is what the owner was shown of that. Throws the refusals of `validateCreate` and of `takeDebt`,
 * ACCOUNT_BANNED.
 */
export function createServer(
  deps: LifecycleDeps,
  ctx: SignedIn,
  input: CreateInput,
  price = 0,
): Promise<{ id: string; queueId: string }> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, (tx) =>
    addServer(deps, tx, { ...ctx.actor, price }, input),
  );
}

/** The same in a running transaction, for whoever asks for it: user or staff. */
export async function addServer(
  deps: LifecycleDeps,
  tx: Tx,
  owner: NewOwner,
  input: CreateInput,
): Promise<{ id: string; queueId: string }> {
  const { userId, permissions, beyondLimits = false } = owner;
  await tx.limits.lock(userId);
  await assertGoodStanding(tx, userId);
  const { egg, location, variables } = await validateCreate(deps, tx, { ...input, userId, permissions, beyondLimits });
  const now = deps.clock.now();
  const id = deps.ids.uuid();
  const queueId = deps.ids.uuid();
  const expiresMs = await firstPeriodEnd(deps, tx, owner, { id, userId, name: input.name, queueId });
  const place = await deps.capacity.reserve(tx, location, { serverId: id, eggId: egg.id, resources: input.resources });
  await tx.servers.add({
    id,
    userId,
    name: input.name,
    description: input.description,
    locationId: location.id,
    categoryId: egg.categoryId,
    eggId: egg.id,
    resources: input.resources,
    variables,
    state: 'queued',
    desired: 'running',
    suspendReason: null,
    failure: null,
    panel: location.panel,
    panelNode: place?.node ?? null,
    panelIdentifier: null,
    panelId: null,
    panelState: null,
    panelSeenMs: null,
    address: null,
    revision: 1,
    syncedRevision: 0,
    startupRevision: 0,
    primaryPort: null,
    reinstallMs: null,
    expiresMs,
    autoRenew: input.autoRenew,
    autoRenewOrder: 0,
    periods: 0,
    adoptedMs: null,
    createdMs: now,
    updatedMs: now,
  });
  await addQueueEntry(deps, tx, owner, { id, queueId, panel: location.panel, node: place?.node ?? null });
  await deps.history.record(tx, { id, userId }, 'created');
  tx.touch(`user:${userId}`);
  return { id, queueId };
}

/**
 * Queues a failed server once more, with the same checks as a new one. Throws NOT_FOUND, CONFLICT for a server that has
 * not failed or whose remains in the panel are still being removed, and the refusals of `validateCreate` and
 * `takeDebt`.
 */
export function retryServer(deps: LifecycleDeps, ctx: SignedIn, id: string, price = 0): Promise<Record<string, never>> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, (tx) =>
    requeueFailed(deps, tx, { ...ctx.actor, price }, id),
  );
}

/** The same in a running transaction, for whoever asks for it: user or staff. */
export async function requeueFailed(
  deps: LifecycleDeps,
  tx: Tx,
  owner: NewOwner,
  id: string,
): Promise<Record<string, never>> {
  const { userId, permissions } = owner;
  const server = await lockOwnServer(tx, userId, id);
  await assertGoodStanding(tx, userId);
  if (server.state !== 'failed' || server.desired !== 'nothing') throw new DomainError('CONFLICT');
  const { variables, location } = await validateCreate(deps, tx, { ...server, permissions });
  const place = await deps.capacity.reserve(tx, location, {
    serverId: id,
    eggId: server.eggId,
    resources: server.resources,
  });
  const queueId = deps.ids.uuid();
  const expiresMs = await firstPeriodEnd(deps, tx, owner, { id, userId, name: server.name, queueId });
  const change = {
    state: 'queued',
    desired: 'running',
    failure: null,
    suspendReason: null,
    panelId: null,
    panelState: null,
    address: null,
    variables,
    revision: server.revision + 1,
    expiresMs,
    panel: location.panel,
    panelNode: place?.node ?? null,
    panelIdentifier: null,
  } as const;
  await tx.servers.update(id, change, deps.clock.now());
  await tx.servers.deleteReminders(id);
  await addQueueEntry(deps, tx, owner, { id, queueId, panel: location.panel, node: place?.node ?? null });
  await deps.history.record(tx, server, 'retried');
  tx.touch(`user:${userId}`);
  return {};
}
