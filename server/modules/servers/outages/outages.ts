import type { OutagesDeps } from './deps.ts';
import type { OutageCause, QueueWait } from '#shared/server-codes.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import type { PayloadOf } from '../../events/index.ts';
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
    const report = now.notifiedMs === null ? null : await findReport(tx, now);
    if (report) await deps.events.emit(tx, 'outage.ended', report);
  }
  if (ended === 0) return;
  tx.touch('jobs');
  await refresh(tx);
  tx.touch('panels');
}

/** Causes that staff have to know of: what they turned off or put in maintenance themselves they know. */
const REPORTED_CAUSES = ['panel', 'key', 'node'] as const satisfies readonly OutageCause[];
const toReportedCause = (cause: OutageCause) => REPORTED_CAUSES.find((each) => each === cause) ?? null;
/** Whether staff have to know of an outage. */
export const isReported = ({ cause }: Pick<Outage, 'cause'>): boolean => toReportedCause(cause) !== null;

/** What staff hear of an outage; null where they do not have to know of it, and for panels that are gone. */
async function findReport(tx: Tx, { panel, node, cause, sinceMs }: Outage): Promise<PayloadOf<'outage.ended'> | null> {
  const reported = toReportedCause(cause);
  const row = panel === '' ? null : await tx.panels.find(panel);
  if (reported === null || !row) return null;
  const known = node === '' ? null : (await tx.capacity.nodes(panel)).find((each) => each.node === node);
  const nodeName = node === '' ? null : (known?.name ?? node);
  return { panelId: row.id, panel: row.name, node, nodeName, cause: reported, sinceMs };
}

/** Announces an outage to staff. Nothing for causes they brought about, and for panels that are gone. */
export async function reportOutage(deps: OutagesDeps, tx: Tx, outage: Outage): Promise<void> {
  const report = await findReport(tx, outage);
  if (report) await deps.events.emit(tx, 'outage.reported', report);
}
