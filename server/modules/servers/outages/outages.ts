import type { OutagesDeps } from './deps.ts';
import type { OutageCause, QueueWait } from '#shared/server-codes.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import type { Tx } from '../../tx.ts';
import { withJitter } from '../core/index.ts';
import type { Outage } from './ports.ts';
import { KEY_REFUSED, type PanelFailure } from '../panel/index.ts';
import type { ServerRow } from '../core/ports.ts';

/** Pause before a panel or node that is away is tried again: from the first, doubled each time, up to the second. */
const PAUSES_MS = [10 * SECOND, MINUTE] as const;
/** How long a try keeps others from trying as well; its end is noted long before. */
const RETRY_CLAIM_MS = MINUTE;
/** Most users with waiting entries whose pages are refreshed at once. */
const REFRESHED = 100;

/** What an entry waits for, and where a key was refused, how. */
export interface WaitCause {
  readonly cause: QueueWait;
  readonly reason: string | null;
}

/**
 * What an answer means for who waits for it: the panel or its machine is away and surely made nothing, or nobody was
 * asked. Null where the panel was there and said no, or may have done it: that is a try.
 */
export function causeOfFailure(
  deps: Pick<OutagesDeps, 'panels'>,
  panel: string | null,
  answer: PanelFailure,
): WaitCause | null {
  if (deps.panels.find(panel) === null) return { cause: 'off', reason: null };
  if (answer.outcome === 'refused')
    return KEY_REFUSED.test(answer.reason) ? { cause: 'key', reason: answer.reason } : null;
  if (answer.outcome === 'unavailable') return { cause: answer.away ?? 'panel', reason: null };
  return answer.outcome === 'unknown' && answer.away ? { cause: answer.away, reason: null } : null;
}

/** Whether an outage is one of the panel or the node of a server. */
export const covers = (outage: Outage, server: Pick<ServerRow, 'panel' | 'panelNode'>): boolean =>
  outage.panel === (server.panel ?? '') && (outage.node === '' || outage.node === server.panelNode);

/** The outage that a server waits for: that of its panel before that of its node. */
export const findOutage = (outages: readonly Outage[], server: Pick<ServerRow, 'panel' | 'panelNode'>): Outage | null =>
  outages.filter((outage) => covers(outage, server)).toSorted((a, b) => a.node.length - b.node.length)[0] ?? null;

/** Where an outage of a cause is: at one node, or at the whole panel. */
const nodeOf = (cause: OutageCause, server: Pick<ServerRow, 'panelNode'>): string =>
  cause === 'node' || cause === 'maintenance' ? (server.panelNode ?? '') : '';

/**
 * Takes the next try of the outages that a server waits for, so that one entry asks while the others wait. Out: the
 * outages of which this is the try.
 */
export async function claimRetries(
  deps: OutagesDeps,
  tx: Tx,
  outages: readonly Outage[],
  server: Pick<ServerRow, 'panel' | 'panelNode'>,
): Promise<Outage[]> {
  const now = deps.clock.now();
  const mine: Outage[] = [];
  for (const outage of outages) {
    if (covers(outage, server) && (await tx.outages.claimRetry(outage.panel, outage.node, now, now + RETRY_CLAIM_MS)))
      mine.push(outage);
  }
  return mine;
}

/** Refreshes the pages of those who wait. */
async function refresh(tx: Tx): Promise<void> {
  for (const userId of await tx.servers.listWaitingUsers(REFRESHED)) tx.touch(`servers:${userId}`);
}

/**
 * Notes that a panel, or one of its nodes, takes no orders; what is known already is noted as tried once more in vain
 * where this was the try. Out: when it is tried again.
 */
export async function startOutage(
  deps: OutagesDeps,
  tx: Tx,
  server: Pick<ServerRow, 'panel' | 'panelNode'>,
  reported: { cause: OutageCause; reason: string | null },
  retried: readonly Outage[],
): Promise<number> {
  const now = deps.clock.now();
  // In use, and there is no connection: its key cannot be opened with the key of this installation.
  const unreadable =
    reported.cause === 'off' && server.panel !== null && (await tx.panels.find(server.panel))?.enabled === true;
  const { cause, reason } = unreadable ? ({ cause: 'key', reason: 'key_unreadable' } as const) : reported;
  const [panel, node] = [server.panel ?? '', nodeOf(cause, server)];
  const open = await tx.outages.find(panel, node);
  const tried = retried.some((outage) => outage.panel === panel && outage.node === node);
  // Others were under way when it went away: they say nothing new.
  if (open && !tried && open.nextMs > now && open.cause === cause) return open.nextMs;
  const tries = (open?.tries ?? 0) + 1;
  const [first, longest] = PAUSES_MS;
  const nextMs = now + withJitter(Math.min(longest, first * 2 ** Math.min(tries - 1, 10)), deps.random);
  await tx.outages.save({ panel, node, cause, reason, sinceMs: now, nextMs, tries, notifiedMs: null });
  if (!open) await refresh(tx);
  tx.touch('panels');
  return nextMs;
}

/**
 * Ends outages in a running transaction: what waited goes on. Staff who were notified that it was away are notified
 * that it is back.
 */
export async function endOutages(deps: OutagesDeps, tx: Tx, outages: readonly Outage[]): Promise<void> {
  let ended = 0;
  for (const { panel, node, cause } of outages) {
    const now = await tx.outages.find(panel, node);
    // Ended by somebody else, or another cause by now: that is not over because the one before is.
    if (!now || now.cause !== cause || !(await tx.outages.end(panel, node))) continue;
    ended += 1;
    if (now.notifiedMs !== null) await notifyStaff(deps, tx, now, 'panelBack');
  }
  if (ended === 0) return;
  tx.touch('jobs');
  await refresh(tx);
  tx.touch('panels');
}

/** Notifications of causes that staff have to know of: what they turned off or put in maintenance themselves they know. */
export const STAFF_NOTIFICATIONS = {
  panel: 'panelAway',
  key: 'panelKey',
  node: 'nodeAway',
  maintenance: null,
  off: null,
} as const satisfies Record<OutageCause, string | null>;
/** Most staff who are notified. */
const STAFF = 200;

/**
 * Notifies staff who see panels, once for each outage. Nothing for causes they brought about, and for panels that are
 * gone.
 */
export async function notifyStaff(
  deps: OutagesDeps,
  tx: Tx,
  outage: Outage,
  kind: 'panelBack' | null = null,
): Promise<void> {
  const code = STAFF_NOTIFICATIONS[outage.cause];
  const row = outage.panel === '' ? null : await tx.panels.find(outage.panel);
  if (code === null || !row) return;
  const node =
    outage.node === '' ? null : (await tx.capacity.nodes(outage.panel)).find((each) => each.node === outage.node);
  const data = {
    panel: row.name,
    panel_id: row.id,
    ...(outage.node === '' ? {} : { node: node?.name ?? outage.node }),
  };
  const notification = kind === 'panelBack' && outage.node !== '' ? 'nodeBack' : (kind ?? code);
  for (const userId of await tx.access.holders(['admin.root', 'admin.panels.list'], STAFF)) {
    await deps.notifications.notify(
      tx,
      userId,
      notification,
      data,
      `${notification}:${outage.panel}:${outage.node}:${outage.sinceMs}:${userId}`,
    );
  }
}
