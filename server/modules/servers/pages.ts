import { DomainError } from '#shared/errors.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { composeServers } from './compose.ts';
import { renewalTerms } from './core/index.ts';
import type { ServersDeps } from './deps.ts';
import { reinstallState } from './lifecycle/index.ts';
import { variablesOf } from './queries/index.ts';

/** Events shown on a server's page. */
const ACTIVITY = 30;

type Parts = Pick<ReturnType<typeof composeServers>, 'debts' | 'lifecycle' | 'live' | 'queries' | 'waitingList'>;

/** What the pages of players show of their servers, each in one read. */
export function createServerPages(
  deps: Pick<ServersDeps, 'uow' | 'ledger' | 'limits' | 'panels' | 'settings'>,
  { debts, lifecycle, live, queries, waitingList }: Parts,
) {
  const { uow, ledger, limits, panels } = deps;
  return {
    /** The caller's servers, newest first, with their meters. */
    list: (ctx: SignedIn) =>
      uow.read(async (tx) => ({
        servers: await queries.views(tx, await tx.servers.listByUser(ctx.actor.userId)),
        meters: await limits.meters(tx, ctx.actor.userId),
      })),

    /** One server of the caller's with what its page shows. Throws NOT_FOUND, for somebody else's as well (attacks T24). */
    get(ctx: SignedIn, id: string) {
      const { userId } = ctx.actor;
      return uow.read(async (tx) => {
        const row = await tx.servers.find(id);
        if (!row || row.userId !== userId || row.state === 'deleted') throw new DomainError('NOT_FOUND');
        const [server] = await queries.views(tx, [row]);
        if (!server) throw new DomainError('NOT_FOUND');
        const events = await tx.servers.listEvents(id, ACTIVITY);
        const egg = await tx.catalog.egg(row.eggId);
        const panel = panels.find(row.panel);
        const runsHere = row.panelIdentifier !== null || (egg !== null && panel?.runsHere?.(egg.dockerImage) === true);
        return {
          server,
          meters: await limits.meters(tx, userId),
          renew: queries.renewalQuote(row, {
            balance: await ledger.balance(tx, `user:${userId}`),
            debt: await ledger.balance(tx, `debt:${userId}`),
          }),
          panel: panel?.driver === 'embedded' && runsHere ? 'node' : String(panel?.driver ?? 'unavailable'),
          activity: events.map((event) => ({
            id: event.id,
            atMs: event.atMs,
            code: event.code,
            detail: event.detail,
          })),
          ports: (await tx.capacity.allocationsOf(row.id)).map((allocation) => allocation.address),
          links: live.links(row),
          variables: variablesOf(egg, row.variables),
          wait: await waitingList.find(tx, userId, row.locationId),
          reinstall: reinstallState(row),
          debtIfDeleted: debts.ifDeleted(row),
          carriedDebt: row.state === 'failed' ? await debts.find(tx, userId) : null,
          suspendNote: row.state === 'suspended' ? ((await tx.staffServers.findServer(id))?.suspendNote ?? null) : null,
        };
      });
    },

    /**
     * What the dashboard shows of servers, in a running read: the servers, the sum that is due now and the price of a
     * period.
     */
    async overview(tx: Tx, userId: string) {
      const rows = await tx.servers.listByUser(userId);
      const { cost } = renewalTerms(deps);
      return { servers: await queries.views(tx, rows), renewCost: cost, due: lifecycle.listDue(rows).length * cost };
    },
  };
}
