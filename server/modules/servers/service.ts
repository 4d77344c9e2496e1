import type { SignedIn } from '../kernel.ts';
import { composeServers } from './compose.ts';
import type { ServersDeps } from './deps.ts';
import { createServerPages } from './pages.ts';
import type { Draft } from './queries/index.ts';
import { serverSubscriptions } from './subscriptions.ts';

export type Servers = ReturnType<typeof createServers>;

/** Servers of users: creation and queue, changes, renewal, deletion, and keeping the panel in step (behaviour 6). */
export function createServers(deps: ServersDeps) {
  const { uow } = deps;
  const parts = composeServers(deps);
  const { accounts, backups, capacity, consoles, files, lifecycle, live, panelSync, queries, staff, subusers } = parts;
  const { schedules, usageHistory, waitingList } = parts;
  return {
    ...createServerPages(deps, parts),
    /** Everything the create page needs. */
    options: (ctx: SignedIn) => uow.read((tx) => queries.options(tx, ctx)),
    availability: (ctx: SignedIn, draft: Draft) => uow.read((tx) => queries.availability(tx, ctx, draft)),
    joinWaitingList: waitingList.join,
    leaveWaitingList: waitingList.leave,
    notifyWaiting: waitingList.notify,
    /** Live usage and power: these ask the panel, and nothing waits for them but who asked. */
    usage: live.usage,
    usageAsStaff: live.usageAsStaff,
    usageHistory,
    power: live.power,
    acceptLicence: live.acceptLicence,
    /** Consoles of servers that run here. */
    openConsole: consoles.open,
    sendCommand: consoles.send,
    /** Files of servers that run here. */
    files,
    /** Backups of servers that run here. */
    backups,
    /** Who works on servers of others. */
    subusers,
    /** What is done by itself with servers that run here. */
    schedules,
    create: lifecycle.create,
    retry: lifecycle.retry,
    cancel: lifecycle.cancel,
    update: lifecycle.update,
    updateVariables: lifecycle.updateVariables,
    setPrimaryPort: lifecycle.setPrimaryPort,
    renew: lifecycle.renew,
    renewAll: lifecycle.renewAllDue,
    autoRenew: lifecycle.setAutoRenew,
    delete: lifecycle.delete,
    /** Starts the removal of all servers of a deleted account. */
    removeAllOf: lifecycle.removeAllOf,
    reinstall: lifecycle.reinstall,
    /** What staff do with servers and the queue. */
    staff,
    /** For staff: takes over a server that a panel has already. */
    adopt: lifecycle.adopt,
    /** In the transaction of a ban or its end (attacks T34). The scheduler follows up where nobody called. */
    syncWithOwnerStatus: lifecycle.syncWithOwnerStatus,
    syncOwners: lifecycle.syncOwners,
    /** An attempt at the queue entry of a leased job. */
    build: parts.work,
    sync: panelSync.syncServer,
    processExpiry: lifecycle.processExpiry,
    reconcile: panelSync.reconcile,
    /** The same because staff asked. */
    reconcileNow: staff.reconcileNow,
    requeueStale: panelSync.requeueStale,
    /** What is given out on a panel's nodes, read again; with a node its allocations as well. */
    refreshCapacity: capacity.refreshOrThrow,
    sweepReservations: capacity.sweepReservations,
    /** Panels and machines that are away are tried, staff notified, and what waited for too long given up. */
    checkOutages: panelSync.checkOutages,
    /** Panel accounts follow the address and names of their user. */
    syncAccounts: accounts.sync,
    enqueueStaleAccounts: accounts.enqueueStale,
    subscriptions: serverSubscriptions(parts),
  };
}
