import type { Closed, LeasedJob } from '../../jobs/index.ts';
import type { Tx } from '../../tx.ts';
import { SERVER_JOBS, placeKeyOf, QUEUE, buildSlots } from '../core/index.ts';
import type { Outage } from './ports.ts';

/** Most users with waiting entries whose pages are refreshed because the line has moved. */
const REFRESHED = 100;

/** Places that orders do not reach, as the line of builds knows them. */
function closedBy(outages: readonly Outage[]): Closed {
  return {
    limitKeys: outages.filter(({ node }) => node === '').map(({ panel }) => panel),
    placeKeys: outages
      .filter(({ node }) => node !== '')
      .map(({ panel, node }) => placeKeyOf({ panel, panelNode: node })),
  };
}
const concerns = ({ panel, node }: Outage, job: LeasedJob): boolean =>
  job.line?.limitKey === panel && (node === '' || job.line.placeKey === placeKeyOf({ panel, panelNode: node }));

/**
 * How builds wait (behaviour 6.2): VIP first, then in turn between users, then by age; so many under construction at a
 * panel; and none is begun at a panel or node that is away, but one that tries it when that is due.
 */
export const BUILD_LINE = {
  servedWindowMs: QUEUE.servedWindowMs,
  limitOf: (panel: string): number => buildSlots(panel === '' ? null : panel),
  async closed(tx: Tx, nowMs: number): Promise<(taken: readonly LeasedJob[]) => Closed> {
    const outages = await tx.outages.list();
    return (taken) =>
      closedBy(outages.filter((outage) => outage.nextMs > nowMs || taken.some((job) => concerns(outage, job))));
  },
  /** Refreshes the pages of those who still wait: their places have changed. Who was begun hears when it is. */
  async moved(tx: Tx, begun: readonly LeasedJob[]): Promise<void> {
    const owners = new Set(begun.map(({ line }) => line?.groupKey));
    for (const userId of await tx.servers.listWaitingUsers(REFRESHED))
      if (!owners.has(userId)) tx.touch(`servers:${userId}`);
  },
};

/**
 * Ids of the entries that wait, without those of panels and nodes that are away, in the order in which they will be
 * begun.
 */
export async function waitingEntries(tx: Tx, nowMs: number, limit: number): Promise<string[]> {
  const closed = closedBy(await tx.outages.list());
  return tx.jobs.listWaiting(SERVER_JOBS.build, nowMs, { servedSinceMs: nowMs - QUEUE.servedWindowMs, closed, limit });
}
