import type { PanelSyncDeps } from './deps.ts';
import { MINUTE } from '#shared/time.ts';
import { lockServer } from '../core/index.ts';
import { FAILURES } from '../builds/index.ts';
import { findOutage, isReported } from '../outages/index.ts';
import type { Outage } from '../outages/ports.ts';
import type { PanelAnswer } from '../panel/ports.ts';
import type { QueueEntry } from '../core/ports.ts';

/** How long a silence lasts before staff are notified; a key that is refused is none. */
const NOTIFY_MS = 2 * MINUTE;
/** How long a try keeps others from trying as well. */
const TRY_MS = MINUTE;
/** Entries that are given up in one go. */
const BATCH = 200;
/** An id that no server has: asking for it tells whether a panel answers and takes the key. */
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** One question to a panel that changes nothing. Out: null where it answered, else its answer. */
async function probePanel(
  deps: PanelSyncDeps,
  panel: string | null,
): Promise<Exclude<PanelAnswer<never>, { outcome: 'ok' }> | null> {
  const answer = await deps.callPanel(panel, 'find', (it) => it.findServerByExternalId(NOBODY));
  return answer.outcome === 'ok' || answer.outcome === 'not_found' ? null : answer;
}

/** Whether the key has a right again; for an outage that began with its absence. In: `right:<x>`. */
async function hasRight(deps: PanelSyncDeps, panel: string, reason: string): Promise<boolean> {
  const answer = await deps.panels.findCatalogue(panel)?.check();
  return (
    answer?.outcome === 'ok' &&
    answer.value.rights.every(({ right, granted }) => granted || `right:${right}` !== reason)
  );
}

/** Whether an outage is over; `unclear` where only an order could tell. */
async function isOver(deps: PanelSyncDeps, { panel, node, cause, reason }: Outage): Promise<boolean | 'unclear'> {
  const at = panel === '' ? null : panel;
  if (deps.panels.find(at) === null) return false;
  if (cause === 'off') return true;
  if (cause === 'maintenance') {
    const no = await deps.capacity.refresh(panel, null);
    const current = no
      ? null
      : (await deps.uow.read((tx) => tx.capacity.nodes(panel))).find((each) => each.node === node);
    return current ? !current.maintenance : false;
  }
  if (cause === 'node') return 'unclear';
  const no = await probePanel(deps, at);
  if (no) {
    const wait = deps.outages.causeOf(at, no);
    // It answers by now, and refuses the key: that is what staff have to know.
    if (wait && wait.cause !== 'busy' && wait.cause !== cause)
      await deps.uow.run((tx) =>
        deps.outages.start(
          tx,
          { panel: at, panelNode: null },
          { cause: wait.cause === 'key' ? 'key' : cause, reason: wait.reason },
          [],
        ),
      );
    return false;
  }
  return cause === 'key' && reason !== null && reason.startsWith('right:') ? hasRight(deps, panel, reason) : true;
}

/**
 * Tries an outage that is due. One of a machine is left to the entries that wait for it: only an order tells; without
 * any it is forgotten.
 */
async function retryOutage(deps: PanelSyncDeps, outage: Outage): Promise<void> {
  const { panel, node, cause } = outage;
  const { waits, exists } = await deps.uow.read(async (tx) => ({
    waits: await tx.outages.hasWaiting(panel, node),
    exists: panel === '' || (await tx.panels.find(panel)) !== null,
  }));
  if (!exists || (!waits && (cause === 'node' || cause === 'off')))
    return deps.uow.run(async (tx) => void (await tx.outages.end(panel, node)));
  if (cause === 'node') return;
  const now = deps.clock.now();
  if (!(await deps.uow.run((tx) => tx.outages.claimRetry(panel, node, now, now + TRY_MS)))) return;
  const over = await isOver(deps, outage);
  if (over === true) return deps.uow.run((tx) => deps.outages.end(tx, [outage]));
  await deps.uow.run(async (tx) => {
    const current = await tx.outages.find(panel, node);
    if (current)
      await deps.outages.start(tx, { panel: panel === '' ? null : panel, panelNode: node }, current, [current]);
  });
}

/**
 * Panels whose connection has failed lately, whoever used it, are asked: nobody need create a server for staff to learn
 * of it.
 */
async function detectOutages(deps: PanelSyncDeps, open: readonly Outage[]): Promise<void> {
  for (const { id } of await deps.panels.list()) {
    if (id === null || open.some((outage) => outage.panel === id && outage.node === '')) continue;
    const health = deps.panels.findCatalogue(id)?.health();
    if (health?.circuit === 'closed' && health.lastFailure !== 'key') continue;
    const no = await probePanel(deps, id);
    const wait = no ? deps.outages.causeOf(id, no) : null;
    if (wait && wait.cause !== 'busy')
      await deps.uow.run((tx) =>
        deps.outages.start(
          tx,
          { panel: id, panelNode: null },
          { cause: wait.cause === 'key' || wait.cause === 'off' ? wait.cause : 'panel', reason: wait.reason },
          [],
        ),
      );
  }
}

/** Notifies staff of outages that last. */
async function notifyOfOutages(deps: PanelSyncDeps): Promise<void> {
  const now = deps.clock.now();
  await deps.uow.run(async (tx) => {
    for (const outage of await tx.outages.list()) {
      if (!isReported(outage)) continue;
      const due = outage.cause === 'key' || now - outage.sinceMs >= NOTIFY_MS;
      if (due && outage.notifiedMs === null && (await tx.outages.markNotified(outage.panel, outage.node, now)))
        await deps.outages.report(tx, outage);
    }
  });
}

/** Fails one entry that has waited for too long. */
function failOverdueEntry(deps: PanelSyncDeps, entry: QueueEntry): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await lockServer(tx, entry.serverId);
    if (server?.state !== 'queued') return;
    const outage = findOutage(await tx.outages.list(), server);
    if (outage) await deps.builds.failBuild(tx, { entry, leaseToken: null }, server, FAILURES[outage.cause]);
  });
}

/**
 * Handles outages, whoever waits for them: tries those that are due, notices new ones, notifies staff, and gives up
 * what has waited for too long. Out: how many are open.
 */
export async function checkOutages(deps: PanelSyncDeps): Promise<number> {
  const open = await deps.uow.read((tx) => tx.outages.list());
  for (const outage of open) if (outage.nextMs <= deps.clock.now()) await retryOutage(deps, outage);
  await detectOutages(deps, open);
  await notifyOfOutages(deps);
  const now = deps.clock.now();
  for (const entry of await deps.uow.read((tx) => tx.servers.listOverdueEntries(now - deps.builds.maxWaitMs(), BATCH)))
    await failOverdueEntry(deps, entry);
  return (await deps.uow.read((tx) => tx.outages.list())).length;
}
