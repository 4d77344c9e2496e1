import { DomainError } from '#shared/errors.ts';
import { iso } from '#shared/time.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import {
  syncWithOwnerStatus,
  resumeAfterBan,
  suspendForBan,
  createServer,
  retryServer,
  type CreateInput,
  findCarriedDebt,
  debtIfDeleted,
  cancelServer,
  deleteServer,
  processExpiry,
  adoptServer,
  type AdoptInput,
  reinstallState,
  reinstallServer,
  listDue,
  renewAllDue,
  renewServer,
  setAutoRenew,
  renewalTerms,
  updateServer,
  type UpdateInput,
} from './lifecycle/index.ts';
import type { ServersDeps } from './core/index.ts';
import { serverSubscriptions } from './subscriptions.ts';
import { createLive, linksOf } from './live/index.ts';
import {
  optionsOf,
  variablesOf,
  availabilityOf,
  type Draft,
  beginningView,
  renewalQuote,
  viewsOf,
} from './queries/index.ts';
import type { PowerSignal } from './panel/ports.ts';
import { createBuildWorker } from './builds/index.ts';
import { requeueStale, reconcile, checkOutages, syncServer } from './panel-sync/index.ts';
import { syncAccounts, enqueueStaleAccounts } from './accounts/index.ts';
import { reconcileNow, createStaff } from './staff/index.ts';
import { refreshOrRetry, sweepReservations } from './capacity/index.ts';
import { joinWaitingList, leaveWaitingList, notifyWaiting, findWait } from './waiting-list/index.ts';
import type { WantedServer } from './waiting-list/ports.ts';

/** Events shown on a server's page. */
const ACTIVITY = 30;

export type Servers = ReturnType<typeof createServers>;

/** Servers of users: creation and queue, changes, renewal, deletion, and keeping the panel in step (behaviour 6). */
export function createServers(deps: ServersDeps) {
  const { uow, limits } = deps;
  const live = createLive(deps);
  const build = createBuildWorker(deps);

  /** The caller's servers, newest first, with their meters. */
  function list(ctx: SignedIn) {
    return uow.read(async (tx) => ({
      servers: await viewsOf(deps, tx, await tx.servers.listByUser(ctx.actor.userId)),
      meters: await limits.meters(tx, ctx.actor.userId),
    }));
  }

  /** One server of the caller's with what its page shows. Throws NOT_FOUND, for somebody else's as well (attacks T24). */
  function get(ctx: SignedIn, id: string) {
    const { userId } = ctx.actor;
    return uow.read(async (tx) => {
      const row = await tx.servers.find(id);
      if (!row || row.userId !== userId || row.state === 'deleted') throw new DomainError('NOT_FOUND');
      const [server] = await viewsOf(deps, tx, [row]);
      if (!server) throw new DomainError('NOT_FOUND');
      const events = await tx.servers.events(id, ACTIVITY);
      return {
        server,
        meters: await limits.meters(tx, userId),
        renew: renewalQuote(deps, row, {
          balance: await deps.ledger.balance(tx, `user:${userId}`),
          debt: await deps.ledger.balance(tx, `debt:${userId}`),
        }),
        panel: (deps.panels.find(row.panel)?.driver ?? 'unavailable') as string,
        activity: events.map((event) => ({
          id: event.id,
          at: iso(event.atMs),
          code: event.code,
          detail: event.detail,
        })),
        ports: (await tx.capacity.allocationsOf(row.id)).map((port) => port.address),
        links: linksOf(deps, row),
        variables: variablesOf(await tx.catalog.egg(row.eggId), row.variables),
        wait: await findWait(deps, tx, userId, row.locationId),
        reinstall: reinstallState(row),
        leaves: beginningView(debtIfDeleted(deps, row)),
        starts: row.state === 'failed' ? beginningView(await findCarriedDebt(deps, tx, userId)) : null,
        suspend_note: row.state === 'suspended' ? ((await tx.staffServers.server(id))?.suspendNote ?? null) : null,
      };
    });
  }

  /**
   * What the dashboard shows of servers, in a running read: the servers, the sum that is due now and the price of a
   * period.
   */
  async function overview(tx: Tx, userId: string) {
    const rows = await tx.servers.listByUser(userId);
    const { cost } = renewalTerms(deps);
    return { servers: await viewsOf(deps, tx, rows), renewCost: cost, due: listDue(deps, rows).length * cost };
  }

  return {
    list,
    get,
    overview,
    /** Everything the create page needs. */
    options: (ctx: SignedIn) => uow.read((tx) => optionsOf(deps, tx, ctx)),
    availability: (ctx: SignedIn, draft: Draft) => uow.read((tx) => availabilityOf(deps, tx, ctx, draft)),
    joinWait: (ctx: SignedIn, locationId: string, want: WantedServer) => joinWaitingList(deps, ctx, locationId, want),
    leaveWait: (ctx: SignedIn, locationId: string) => leaveWaitingList(deps, ctx, locationId),
    tellWaiting: () => notifyWaiting(deps),
    /** Live usage and power: these ask the panel, and nothing waits for them but who asked. */
    usage: (ctx: SignedIn, id: string) => live.usage(ctx, id),
    power: (ctx: SignedIn, id: string, signal: PowerSignal) => live.power(ctx, id, signal),
    create: (ctx: SignedIn, input: CreateInput, price?: number) => createServer(deps, ctx, input, price),
    retry: (ctx: SignedIn, id: string, price?: number) => retryServer(deps, ctx, id, price),
    cancel: (ctx: SignedIn, id: string) => cancelServer(deps, ctx, id),
    update: (ctx: SignedIn, id: string, input: UpdateInput) => updateServer(deps, ctx, id, input),
    renew: (ctx: SignedIn, id: string, shown: { price: number; expiresAt: string | null }) =>
      renewServer(deps, ctx, id, shown),
    renewAll: (ctx: SignedIn, price: number) => renewAllDue(deps, ctx, price),
    autoRenew: (ctx: SignedIn, id: string, on: boolean) => setAutoRenew(deps, ctx, id, on),
    delete: (ctx: SignedIn, id: string, name: string) => deleteServer(deps, ctx, id, name),
    reinstall: (ctx: SignedIn, id: string) => reinstallServer(deps, ctx, id),
    /** What staff do with servers and the queue. */
    staff: createStaff(deps),
    /** For staff: takes over a server that a panel has already. */
    adopt: (ctx: SignedIn, input: AdoptInput) => adoptServer(deps, ctx, input),
    /** For identity, in the transaction of a ban or its end (attacks T34). The scheduler follows up where nobody called. */
    suspendForBan: (tx: Tx, userId: string) => suspendForBan(deps, tx, userId),
    resumeAfterBan: (tx: Tx, userId: string) => resumeAfterBan(deps, tx, userId),
    followOwner: (userId: string) => syncWithOwnerStatus(deps, userId),
    /** An attempt at the queue entry of a leased job. */
    build,
    sync: (wish: { serverId: string; revision: number; force?: boolean }, attempt: number) =>
      syncServer(deps, wish, attempt),
    expiryTick: () => processExpiry(deps),
    reconcile: () => reconcile(deps),
    /** The same because staff asked. */
    compareNow: () => reconcileNow(deps),
    nudge: (olderThanMs: number) => requeueStale(deps, olderThanMs),
    /** What is given out on a panel's nodes, read anew; with a node its ports as well. */
    readRoom: (panel: string, node: string | null) => refreshOrRetry(deps, panel, node),
    sweepReservations: () => sweepReservations(deps),
    /** Panels and machines that are away are tried, staff notified, and what waited for too long given up. */
    tendOutages: () => checkOutages(deps),
    /** Panel accounts follow the address and names of their user. */
    followAccount: (userId: string) => syncAccounts(deps, userId),
    sweepAccounts: () => enqueueStaleAccounts(deps),
    subscriptions: serverSubscriptions(deps),
  };
}
