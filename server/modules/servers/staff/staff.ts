import type { StaffDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import type { QueueStep } from '#shared/server-codes.ts';
import { writeAudit } from '../../audit/index.ts';
import { exportSteps, type CreatedCursor } from '../../export-steps.ts';
import type { SignedIn } from '../../kernel.ts';
import { permitted } from '../../permit.ts';
import type { Tx } from '../../tx.ts';
import { type CreateInput, type NamedOrphan, reinstallState, lockExistingServer } from '../lifecycle/index.ts';
import {
  SERVER_JOBS,
  toServerFacts,
  type StaffDriftQuery,
  type StaffLogQuery,
  type StaffQueueFilter,
  type StaffQueueQuery,
  type StaffServerFilter,
  type StaffServerQuery,
} from '../core/index.ts';
import { adoptAsStaff, adoptable, driftList, reconcileNow, type StaffAdoption } from './drift.ts';

/** Events shown on a server's page. */
const ACTIVITY = 30;

/** One page of the servers, with what the filters choose from. */
function list(deps: StaffDeps, query: StaffServerQuery) {
  const ask = async (tx: Tx) => ({
    ...(await tx.staffServers.listServers(query)),
    states: await tx.staffServers.countStates(),
    locations: (await tx.catalog.locations()).map(({ id, name }) => ({ id, name })),
    panels: await tx.staffServers.listPanels(),
    drift: [...(await tx.staffServers.countDriftKinds()).values()].reduce((sum, n) => sum + n, 0),
  });
  return deps.long.read(ask, { for: 'visitor' });
}

/** Begins an export and writes it down. */
async function exported<T extends CreatedCursor>(
  deps: StaffDeps,
  ctx: SignedIn,
  action: string,
  read: (after: CreatedCursor | null, limit: number) => Promise<readonly T[]>,
): Promise<AsyncIterable<readonly T[]>> {
  const parts = await exportSteps(read);
  await deps.uow.run((tx) => writeAudit(tx, deps, ctx, { action }));
  return parts;
}

/** One server with everything staff see of it. Throws NOT_FOUND. */
function view(deps: StaffDeps, id: string) {
  return deps.uow.read(async (tx) => {
    const [server, row] = [await tx.staffServers.findServer(id), await tx.servers.find(id)];
    if (!server || !row) throw new DomainError('NOT_FOUND');
    const [entry] = await tx.servers.listNewestEntries([id]);
    return {
      server,
      row,
      queueId: entry?.id ?? null,
      egg: (await tx.catalog.egg(row.eggId))?.name ?? null,
      events: await tx.servers.listEvents(id, ACTIVITY),
      ports: (await tx.capacity.allocationsOf(id)).map((port) => port.address),
      drift: await tx.staffServers.listDriftOfServer(id),
      link: deps.live.links(row)?.server ?? null,
      reinstall: reinstallState(row),
      isHere: row.panelIdentifier !== null && deps.panels.find(row.panel)?.console !== undefined,
    };
  });
}

/**
 * Suspends a server with a reason that its owner reads. It is a reason of its own: neither a renewal nor the end of a
 * ban lifts it, and nothing expires meanwhile. Suspending again changes the reason. Throws NOT_FOUND, SERVER_BUSY while
 * it is being deleted, SERVER_NOT_READY.
 */
function suspend(deps: StaffDeps, ctx: SignedIn, id: string, reason: string): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await lockExistingServer(tx, id);
    if (server.state === 'deleting') throw new DomainError('SERVER_BUSY');
    if (server.state !== 'active' && server.state !== 'suspended') throw new DomainError('SERVER_NOT_READY');
    const before = await tx.staffServers.findServer(id);
    if (server.suspendReason === 'admin' && before?.suspendNote === reason) return;
    await tx.staffServers.setNote(id, reason);
    if (server.suspendReason !== 'admin') {
      const revision = server.revision + 1;
      await tx.servers.update(
        id,
        { state: 'suspended', desired: 'suspended', suspendReason: 'admin', revision },
        deps.clock.now(),
      );
      await deps.jobs.enqueueSync(tx, { id, revision });
      await deps.history.record(tx, server, 'suspended', 'admin');
    }
    const atMs = deps.clock.now();
    const { revision } = server;
    await deps.events.emit(tx, 'server.suspended_by_staff', { ...toServerFacts(server), reason, revision, atMs });
    const was = {
      state: server.state,
      reason: before?.suspendReason === 'admin' ? before.suspendNote : server.suspendReason,
    };
    await writeAudit(tx, deps, ctx, {
      action: 'servers.suspend',
      target: id,
      before: { name: server.name, ...was },
      after: { name: server.name, state: 'suspended', reason },
    });
    tx.touch(`servers:${server.userId}`, `user:${server.userId}`);
  });
}

/**
 * Lifts what staff had suspended. The server of somebody who is banned stays suspended for the ban; one that ran out
 * meanwhile is reminded of again, for nobody could pay. Throws NOT_FOUND, CONFLICT for a server that staff had not
 * suspended.
 */
function unsuspend(deps: StaffDeps, ctx: SignedIn, id: string): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await lockExistingServer(tx, id);
    if (server.state !== 'suspended' || server.suspendReason !== 'admin') throw new DomainError('CONFLICT');
    const now = deps.clock.now();
    const owner = await tx.identity.findContact(server.userId);
    await tx.staffServers.setNote(id, null);
    if (owner?.status !== 'active') await tx.servers.update(id, { suspendReason: 'ban' }, now);
    else {
      const revision = server.revision + 1;
      if (server.expiresMs !== null && server.expiresMs <= now) await tx.servers.deleteReminders(id);
      await tx.servers.update(id, { state: 'active', desired: 'running', suspendReason: null, revision }, now);
      await deps.jobs.enqueueSync(tx, { id, revision });
      await deps.history.record(tx, server, 'resumed', 'admin');
      await deps.events.emit(tx, 'server.resumed', { ...toServerFacts(server), revision });
    }
    await writeAudit(tx, deps, ctx, {
      action: 'servers.unsuspend',
      target: id,
      before: { name: server.name, state: 'suspended' },
      after: { name: server.name, state: owner?.status === 'active' ? 'active' : 'suspended' },
    });
    tx.touch(`servers:${server.userId}`, `user:${server.userId}`);
  });
}

/**
 * Deletes a server whose name was typed, through the panel (behaviour 6.6). `force`: even where its machine does not
 * answer, so its files may stay behind there; also for one whose deletion waits for that. Throws NOT_FOUND,
 * NAME_MISMATCH, SERVER_BUSY while it is being built.
 */
function remove(
  deps: StaffDeps,
  ctx: SignedIn,
  id: string,
  { name, force }: { name: string; force: boolean },
): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await lockExistingServer(tx, id);
    if (name.trim() !== server.name) throw new DomainError('NAME_MISMATCH', { fields: { name: ['NAME_MISMATCH'] } });
    const before = server.state;
    if (before === 'deleting' && !force) return;
    await deps.lifecycle.remove(tx, server, 'staff');
    const current = await tx.servers.find(id);
    if (force && current?.desired === 'deleted') await deps.jobs.enqueueForcedDelete(tx, current);
    await writeAudit(tx, deps, ctx, {
      action: 'servers.delete',
      target: id,
      before: { name: server.name, user: server.userId, state: before },
      after: { force },
    });
    tx.touch(`servers:${server.userId}`);
  });
}

/** Has every panel compared with our rows soon. */
function requestReconcile(deps: StaffDeps, ctx: SignedIn): Promise<void> {
  return deps.uow.run(async (tx) => {
    if (await tx.staffServers.isJobOpen(SERVER_JOBS.reconcile)) return;
    await deps.jobs.enqueueReconcile(tx);
    await writeAudit(tx, deps, ctx, { action: 'servers.reconcile' });
  });
}

/**
 * What staff do with servers and the queue. Who may do which is said by the contract, and asked once more here; each
 * change is in the audit log (behaviour 1).
 */
export function createStaff(deps: StaffDeps) {
  const { uow } = deps;
  return {
    /** Compares every panel with our rows now, because staff asked. */
    reconcileNow: () => reconcileNow(deps),
    list: (query: StaffServerQuery) => list(deps, query),
    /** All servers that fit, the newest first, some hundred at a time; that they were exported is in the audit log. */
    exportAll: permitted('admin.servers.list', (ctx: SignedIn, query: StaffServerFilter, signal: AbortSignal) =>
      exported(deps, ctx, 'servers.export', (after, limit) =>
        deps.long.read((tx) => tx.staffServers.exportServers(query, after, limit), { for: 'visitor', signal }),
      ),
    ),
    view: (id: string) => view(deps, id),
    suspend: permitted('admin.servers.edit', (ctx: SignedIn, id: string, reason: string) =>
      suspend(deps, ctx, id, reason),
    ),
    unsuspend: permitted('admin.servers.edit', (ctx: SignedIn, id: string) => unsuspend(deps, ctx, id)),
    remove: permitted('admin.servers.delete', (ctx: SignedIn, id: string, how: { name: string; force: boolean }) =>
      remove(deps, ctx, id, how),
    ),
    drift: async (query: StaffDriftQuery) => ({
      ...(await driftList(deps, query)),
      reconciling: await uow.read((tx) => tx.staffServers.isJobOpen(SERVER_JOBS.reconcile)),
    }),
    requestReconcile: permitted('admin.servers.edit', (ctx: SignedIn) => requestReconcile(deps, ctx)),
    adoptable: (panel: string, ref: string) => adoptable(deps, panel, ref),
    adopt: permitted('admin.servers.edit', (ctx: SignedIn, input: StaffAdoption) => adoptAsStaff(deps, ctx, input)),
    reinstall: permitted('admin.servers.edit', (ctx: SignedIn, id: string) => deps.lifecycle.reinstallAsStaff(ctx, id)),
    orphan: (panel: string, ref: string) => deps.lifecycle.getOrphan(panel, ref),
    deleteOrphan: permitted('admin.servers.delete', (ctx: SignedIn, input: NamedOrphan) =>
      deps.lifecycle.deleteOrphan(ctx, input),
    ),
    queue: (query: StaffQueueQuery) => deps.builds.listEntries(query),
    /** As `exportAll`. */
    exportQueue: permitted('admin.server.queue.list', (ctx: SignedIn, query: StaffQueueFilter, signal: AbortSignal) =>
      exported(deps, ctx, 'server_queue.export', (after, limit) =>
        deps.long.read((tx) => tx.staffServers.exportEntries(query, after, limit), { for: 'visitor', signal }),
      ),
    ),
    entry: (id: string) => deps.builds.getEntryDetail(id),
    options: (ctx: SignedIn, owner: string) => deps.builds.optionsFor(ctx, owner),
    createFor: permitted(
      'admin.server.queue.create',
      (ctx: SignedIn, request: { owner: string; input: CreateInput; withoutLimits: boolean; verifiedOnly: boolean }) =>
        deps.builds.createFor(ctx, request),
    ),
    retry: permitted('admin.server.queue.create', (ctx: SignedIn, id: string) => deps.builds.retryEntry(ctx, id)),
    cancel: permitted('admin.server.queue.delete', (ctx: SignedIn, id: string) => deps.builds.cancelEntry(ctx, id)),
    deleteEntry: permitted('admin.server.queue.delete', (ctx: SignedIn, id: string) =>
      deps.builds.deleteEntry(ctx, id),
    ),
    logs: (query: StaffLogQuery & { code?: QueueStep | undefined }) =>
      deps.long.read((tx) => tx.staffServers.listLog(query), { for: 'visitor' }),
  };
}
