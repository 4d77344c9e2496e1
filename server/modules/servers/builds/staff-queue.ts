import type { BuildsDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import { writeAudit } from '../../audit/index.ts';
import { runOnce } from '../../idempotency/index.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { type CreateInput, toNewOwner, lockExistingServer, getOwnerByLogin, getOwner } from '../lifecycle/index.ts';
import { estimateMs, buildSlots, type StaffEntry, type StaffQueueQuery } from '../core/index.ts';
import { waitingCause } from '../queries/index.ts';
import { waitingEntries } from '../outages/index.ts';
import type { Outage } from '../outages/ports.ts';

/** Most waiting entries that are counted for a position. */
const LONGEST = 5000;

/** An entry with what it waits for, and since when. */
export type WaitingEntry = StaffEntry & { readonly waiting: ReturnType<typeof waitingCause> };
function withWait(outages: readonly Outage[], entry: StaffEntry): WaitingEntry {
  const { panelNode, panelId } = entry;
  return { ...entry, waiting: waitingCause(outages, entry, { panel: entry.panel?.id ?? null, panelNode, panelId }) };
}

/** A page of the queue, and how many entries are in each state. */
export function listEntries(deps: BuildsDeps, query: StaffQueueQuery) {
  const ask = async (tx: Tx) => {
    const { rows, total } = await tx.staffServers.listEntries(query);
    const outages = await tx.outages.list();
    return { rows: rows.map((row) => withWait(outages, row)), total, states: await tx.staffServers.countEntryStates() };
  };
  return deps.long.read(ask, { for: 'visitor' });
}

async function getStaffEntry(tx: Tx, id: string): Promise<StaffEntry> {
  const entry = await tx.staffServers.findEntry(id);
  if (!entry) throw new DomainError('NOT_FOUND');
  return entry;
}

/** Position in the queue (1 is next) and estimate of an entry that waits. */
async function estimatePosition(
  deps: BuildsDeps,
  tx: Tx,
  entry: StaffEntry,
): Promise<{ position: number | null; estimateS: number | null }> {
  if (entry.state !== 'queued') return { position: null, estimateS: null };
  const now = deps.clock.now();
  const at = (await waitingEntries(tx, now, LONGEST)).indexOf(entry.id);
  if (at < 0) return { position: null, estimateS: null };
  const { building, buildMs } = await deps.queries.queueStatus(tx);
  return {
    position: at + 1,
    estimateS: Math.ceil(estimateMs(at + 1, building, buildMs, buildSlots(entry.panel?.id ?? null)) / 1000),
  };
}

/** One entry with all steps of its log, oldest first, and what may be done with it. Throws NOT_FOUND. */
export function getEntryDetail(deps: BuildsDeps, id: string) {
  return deps.uow.read(async (tx) => {
    const entry = await getStaffEntry(tx, id);
    const server = await tx.servers.find(entry.server.id);
    const [newest] = await tx.servers.listNewestEntries([entry.server.id]);
    const waits = entry.state === 'queued';
    return {
      entry: withWait(await tx.outages.list(), entry),
      ...(await estimatePosition(deps, tx, entry)),
      steps: await tx.servers.listSteps([id]),
      resources: server?.resources ?? null,
      egg: server ? ((await tx.catalog.egg(server.eggId))?.name ?? null) : null,
      can: {
        cancel: waits,
        retry: newest?.id === id && server?.state === 'failed' && server.desired === 'nothing',
        delete: entry.state !== 'building' && (entry.state !== 'queued' || waits),
      },
    };
  });
}

/**
 * What a server could be made of for a user: places and software with the owner's own limits and permissions. Throws
 * what getOwnerByLogin throws.
 */
export function optionsFor(deps: BuildsDeps, ctx: SignedIn, typed: string) {
  return deps.uow.read(async (tx) => {
    const user = await getOwnerByLogin(tx, typed);
    const { userId, permissions } = await toNewOwner(tx, user);
    const options = await deps.queries.options(tx, { ...ctx, actor: { ...ctx.actor, userId, permissions } });
    return { owner: { id: user.id, username: user.username, verified: user.verifiedMs !== null }, options };
  });
}

/**
 * Creates a server for a user, with every check of the user's own creation (attacks T23, T25), the owner's limits and
 * VIP included, once an Idempotency-Key. Only admin.root may leave the limits out. Throws the refusals of createServer
 * and of getOwnerByLogin, FORBIDDEN, ACCOUNT_UNVERIFIED where addresses have to be confirmed.
 */
export function createFor(
  deps: BuildsDeps,
  ctx: SignedIn,
  {
    owner,
    input,
    withoutLimits,
    verifiedOnly,
  }: { owner: string; input: CreateInput; withoutLimits: boolean; verifiedOnly: boolean },
): Promise<{ id: string; queueId: string }> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    if (withoutLimits && !ctx.actor.permissions.includes('admin.root')) throw new DomainError('FORBIDDEN');
    const user = await getOwnerByLogin(tx, owner);
    if (verifiedOnly && user.verifiedMs === null) throw new DomainError('ACCOUNT_UNVERIFIED');
    const made = await deps.lifecycle.add(tx, await toNewOwner(tx, user, withoutLimits), input);
    const after = {
      name: input.name,
      user: user.id,
      username: user.username,
      ...input.resources,
      ...(withoutLimits ? { without_limits: true } : {}),
    };
    await writeAudit(tx, deps, ctx, { action: 'serverQueue.create', target: made.id, after });
    return made;
  });
}

/**
 * Queues the failed server of an entry once more, as its owner could (attacks T23), once an Idempotency-Key. Throws
 * NOT_FOUND, CONFLICT for an entry that is not the server's last, and the refusals of retryServer.
 */
export function retryEntry(deps: BuildsDeps, ctx: SignedIn, id: string): Promise<{ id: string }> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const entry = await getStaffEntry(tx, id);
    await tx.limits.lock(entry.owner.id);
    const [newest] = await tx.servers.listNewestEntries([entry.server.id]);
    if (newest?.id !== id) throw new DomainError('CONFLICT');
    await deps.lifecycle.requeueFailed(tx, await getOwner(tx, entry.owner.id), entry.server.id);
    const [next] = await tx.servers.listNewestEntries([entry.server.id]);
    await writeAudit(tx, deps, ctx, {
      action: 'serverQueue.retry',
      target: entry.server.id,
      after: { name: entry.server.name, user: entry.owner.id },
    });
    return { id: next?.id ?? id };
  });
}

/** The server of an entry that is open, locked; throws NOT_FOUND for no entry, NOT_CANCELLABLE for one that is over. */
async function lockOpen(tx: Tx, id: string) {
  const found = await getStaffEntry(tx, id);
  const server = await lockExistingServer(tx, found.server.id).catch((error: unknown) => {
    // It was deleted together with its queue entry.
    if (error instanceof DomainError && error.code === 'NOT_FOUND') throw new DomainError('NOT_CANCELLABLE');
    throw error;
  });
  const entry = await getStaffEntry(tx, id);
  if (entry.state !== 'queued') throw new DomainError('NOT_CANCELLABLE');
  return { entry, server };
}

/**
 * Takes a waiting entry out of the queue; everything reserved is free with this transaction. Throws NOT_FOUND,
 * NOT_CANCELLABLE.
 */
export function cancelEntry(deps: BuildsDeps, ctx: SignedIn, id: string): Promise<Record<string, never>> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const { entry, server } = await lockOpen(tx, id);
    await deps.lifecycle.cancelWaiting(tx, server);
    await writeAudit(tx, deps, ctx, {
      action: 'serverQueue.cancel',
      target: server.id,
      before: { name: entry.server.name, user: entry.owner.id },
    });
    return {};
  });
}

/**
 * Deletes an entry with its log; one that still waits is cancelled first. A server that came of it stays. Throws
 * NOT_FOUND, SERVER_BUSY while it is being built.
 */
export function deleteEntry(deps: BuildsDeps, ctx: SignedIn, id: string): Promise<void> {
  return deps.uow.run(async (tx) => {
    const found = await getStaffEntry(tx, id);
    await tx.limits.lock(found.owner.id);
    const entry = await getStaffEntry(tx, id);
    if (entry.state === 'building') throw new DomainError('SERVER_BUSY');
    if (entry.state === 'queued') {
      const { server } = await lockOpen(tx, id);
      await deps.lifecycle.cancelWaiting(tx, server).catch((error: unknown) => {
        if (error instanceof DomainError && error.code === 'NOT_CANCELLABLE') throw new DomainError('SERVER_BUSY');
        throw error;
      });
    }
    if (!(await tx.staffServers.deleteEntry(id))) throw new DomainError('SERVER_BUSY');
    await writeAudit(tx, deps, ctx, {
      action: 'serverQueue.delete',
      target: entry.server.id,
      before: { name: entry.server.name, user: entry.owner.id, state: entry.state, attempts: entry.attempts },
    });
  });
}
