import { DomainError } from '#shared/errors.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { composeServers } from './compose.ts';
import { getServerFor, renewalTerms, staffRightsOf } from './core/index.ts';
import { withNeededRights } from '#shared/subusers.ts';
import type { SharedServer } from './core/subuser-ports.ts';
import type { ServersDeps } from './deps.ts';
import { reinstallState } from './lifecycle/index.ts';
import { addressesOf } from './live/index.ts';
import { variablesOf, type OwnServer } from './queries/index.ts';

/** Events shown on a server's page. */
const ACTIVITY = 30;

type Parts = Pick<
  ReturnType<typeof composeServers>,
  'actNotes' | 'debts' | 'lifecycle' | 'live' | 'queries' | 'waitingList'
>;

/** A server of somebody else as who works on it sees it: nothing of its owner's credits, limits and plans. */
function sharedView(server: OwnServer, { owner, rights }: Pick<SharedServer, 'owner' | 'rights'>) {
  const { id, name, description, state, address, egg, location, resources } = server;
  return { id, name, description, state, address, egg, location, resources, owner, rights };
}
export type SharedServerView = ReturnType<typeof sharedView>;

/** Servers of others that a user works on, the latest first. */
async function listShared(tx: Tx, queries: Parts['queries'], userId: string): Promise<SharedServerView[]> {
  const shared = await tx.subusers.listShared(userId);
  const rows = await tx.servers.listByIds(shared.map(({ serverId }) => serverId));
  const views = new Map((await queries.views(tx, rows)).map((view) => [view.id, view]));
  return shared.flatMap((each) => {
    const view = views.get(each.serverId);
    return view ? [sharedView(view, each)] : [];
  });
}

/** What the pages of players show of their servers, each in one read. */
export function createServerPages(
  deps: Pick<ServersDeps, 'uow' | 'ledger' | 'limits' | 'panels' | 'settings'>,
  { actNotes, debts, lifecycle, live, queries, waitingList }: Parts,
) {
  const { uow, ledger, limits, panels } = deps;

  return {
    /** The caller's servers, newest first, with their meters, and those of others that the caller works on. */
    list: (ctx: SignedIn) =>
      uow.read(async (tx) => ({
        servers: await queries.views(tx, await tx.servers.listByUser(ctx.actor.userId)),
        shared: await listShared(tx, queries, ctx.actor.userId),
        meters: await limits.meters(tx, ctx.actor.userId),
      })),

    /** One server of the caller's with what its page shows. Throws NOT_FOUND, for somebody else's as well (attacks T24). */
    async get(ctx: SignedIn, id: string) {
      const { userId } = ctx.actor;
      const page = await uow.read(async (tx) => {
        const row = await tx.servers.find(id);
        if (!row || row.userId !== userId || row.state === 'deleted') throw new DomainError('NOT_FOUND');
        const [server] = await queries.views(tx, [row]);
        if (!server) throw new DomainError('NOT_FOUND');
        const egg = await tx.catalog.egg(row.eggId);
        const panel = panels.find(row.panel);
        const runsHere = row.panelIdentifier !== null || (egg !== null && panel?.runsHere?.(egg) === true);
        return {
          server,
          meters: await limits.meters(tx, userId),
          renew: queries.renewalQuote(row, {
            balance: await ledger.balance(tx, `user:${userId}`),
            debt: await ledger.balance(tx, `debt:${userId}`),
          }),
          panel: panel?.driver === 'embedded' && runsHere ? 'node' : String(panel?.driver ?? 'unavailable'),
          row,
          activity: await tx.servers.listEvents(id, ACTIVITY),
          /** Null: it is operated in its panel, where rights given here would mean nothing. */
          subusers: panel?.console ? await tx.subusers.list(id) : null,
          known: (await tx.capacity.allocationsOf(row.id)).map((allocation) => allocation.address),
          links: live.links(row),
          variables: variablesOf(egg, row.variables),
          wait: await waitingList.find(tx, userId, row.locationId),
          reinstall: reinstallState(row),
          debtIfDeleted: debts.ifDeleted(row),
          carriedDebt: row.state === 'failed' ? await debts.find(tx, userId) : null,
          suspendNote: row.state === 'suspended' ? ((await tx.staffServers.findServer(id))?.suspendNote ?? null) : null,
        };
      });
      const { row, known, ...rest } = page;
      return { ...rest, ports: await addressesOf(panels, row, known) };
    },

    /**
     * A server of somebody else with what its page shows to who works on it, and to staff. Throws NOT_FOUND, for the
     * caller's own as well: that has a page of its own; to staff also for one that is operated in its panel.
     */
    async getShared(ctx: SignedIn, id: string) {
      const { userId } = ctx.actor;
      const page = await uow.read(async (tx) => {
        const access = await getServerFor(tx, ctx.actor, id, 'any');
        const row = access.server;
        const own = (await tx.subusers.findRights(id, userId)) ?? [];
        const rights = withNeededRights([...own, ...staffRightsOf(ctx.actor)]);
        const asStaff = rights.length > own.length;
        const [server] = await queries.views(tx, [row]);
        const owner = await tx.identity.findUser(row.userId);
        const isHere = row.panelIdentifier !== null && panels.find(row.panel)?.console !== undefined;
        if (access.as === 'owner' || !server || !owner || (access.as === 'staff' && !isHere))
          throw new DomainError('NOT_FOUND');
        return {
          access,
          asStaff,
          server: sharedView(server, { owner: owner.username, rights }),
          activity: await tx.servers.listEvents(id, ACTIVITY),
          row,
          known: (await tx.capacity.allocationsOf(id)).map((allocation) => allocation.address),
          variables: rights.includes('startup') ? variablesOf(await tx.catalog.egg(row.eggId), row.variables) : [],
        };
      });
      const { row, known, access, ...rest } = page;
      if (rest.asStaff) await actNotes.opened(ctx, { ...access, as: 'staff' }, 'page');
      return { ...rest, ports: await addressesOf(panels, row, known) };
    },

    /**
     * What the dashboard shows of servers, in a running read: the servers, those of others that the user works on, the
     * sum that is due now and the price of a period.
     */
    async overview(tx: Tx, userId: string) {
      const rows = await tx.servers.listByUser(userId);
      const { cost } = renewalTerms(deps);
      return {
        servers: await queries.views(tx, rows),
        shared: await listShared(tx, queries, userId),
        renewCost: cost,
        due: lifecycle.listDue(rows).length * cost,
      };
    },
  };
}
