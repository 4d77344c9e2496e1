import type { PanelSyncDeps } from './deps.ts';
import { SECOND } from '#shared/time.ts';
import { apply } from './apply.ts';
import { lockServer, RECHECK_MS, toServerFacts } from '../core/index.ts';
import { differences, loadDesired, type Difference } from './differences.ts';
import { PanelCallFailed, reportedState, type PanelFailure } from '../panel/index.ts';
import type { PanelServer } from '../panel/ports.ts';
import type { ServerRow } from '../core/ports.ts';

interface SyncAttempt {
  readonly server: ServerRow;
  /** Which try of this job it is, from 1. */
  readonly attempt: number;
  /** Staff asked for the removal even where the machine does not answer. */
  readonly force: boolean;
}

/** The try of a removal with which its owner is notified that it waits for the panel. */
const NOTED_ATTEMPT = 3;

/** Notes a clear no, unless it was the last thing noted. */
function noteRefusal(deps: PanelSyncDeps, server: ServerRow): Promise<void> {
  return deps.uow.run(async (tx) => {
    const [last] = await tx.servers.listEvents(server.id, 1);
    if (last?.code !== 'syncRefused') await deps.history.record(tx, server, 'syncRefused');
  });
}

/**
 * Gives up for now. Out: never; throws PanelCallFailed. A clear no is noted for the owner, once, and a removal that
 * waits for its machine.
 */
async function postpone(deps: PanelSyncDeps, { server, attempt }: SyncAttempt, answer: PanelFailure): Promise<never> {
  if (answer.outcome === 'refused') await noteRefusal(deps, server);
  else if (server.state === 'deleting' && attempt === NOTED_ATTEMPT)
    await deps.uow.run((tx) => deps.history.record(tx, server, 'deleteWaits'));
  throw new PanelCallFailed(answer.outcome);
}

/**
 * The panel says that it has no such server. Once may be a slip; the second answer, a minute later at least, makes it a
 * ghost: it failed, and what it took of the limits is free (behaviour 6.3). A panel that does not answer never leads
 * here.
 */
function markMissing(deps: PanelSyncDeps, { server }: SyncAttempt): Promise<void> {
  return deps.uow.run(async (tx) => {
    const now = deps.clock.now();
    const current = await lockServer(tx, server.id);
    if (!current || (current.state !== 'active' && current.state !== 'suspended')) return;
    if (current.panelState === 'missing' && now - (current.panelSeenMs ?? 0) >= RECHECK_MS) {
      await deps.builds.failServer(
        tx,
        { ...current, panelId: null, panelState: null },
        'panelLost',
        `lost:${current.panelId ?? ''}`,
      );
      await tx.servers.update(server.id, { panelId: null }, now);
      return;
    }
    if (current.panelState !== 'missing')
      await tx.servers.update(server.id, { panelState: 'missing', panelSeenMs: now }, now);
    await deps.jobs.enqueueSync(tx, current, now + RECHECK_MS);
  });
}

/**
 * The panel is where we wanted it. If the desired state has changed meanwhile, our late calls may have undone a newer
 * one: then once more.
 */
function recordAligned(
  deps: PanelSyncDeps,
  server: ServerRow,
  panel: PanelServer,
  changed: readonly Difference[],
): Promise<void> {
  return deps.uow.run(async (tx) => {
    const now = deps.clock.now();
    const current = await lockServer(tx, server.id);
    if (!current || (current.state !== 'active' && current.state !== 'suspended')) return;
    const suspended = server.desired === 'suspended';
    const state = changed.includes('reinstall') ? 'installing' : panel.state;
    const seen = {
      panelState: reportedState({ ...panel, state, suspended }),
      panelSeenMs: now,
      address: panel.address ?? current.address,
      panelIdentifier: panel.identifier ?? current.panelIdentifier,
      ...(current.panel === null ? {} : { panelNode: panel.node ?? current.panelNode }),
    } as const;
    const newer = current.revision > server.revision;
    await tx.servers.update(
      server.id,
      { ...seen, syncedRevision: newer ? Math.min(current.syncedRevision, server.revision) : current.revision },
      now,
    );
    if (newer) await deps.jobs.enqueueSync(tx, current, now);
    else await deps.capacity.confirm(tx, current, changed.includes('build') ? { ...panel, allocations: null } : panel);
    // The end of an installation is seen by another sync, later ones by the reconciler.
    if (state === 'installing' && changed.includes('reinstall'))
      await deps.jobs.enqueueSync(tx, current, now + RECHECK_MS);
    if (current.panelState === 'installing' && state === 'ready') await deps.history.record(tx, server, 'reinstalled');
    if (current.panelState === 'installing' && state === 'reinstall_failed')
      await deps.history.record(tx, server, 'reinstallFailed');
    if (changed.length === 0) return;
    if (server.syncedRevision === server.revision)
      await deps.history.record(tx, server, 'repaired', changed.join(', '));
    else tx.touch(`servers:${server.userId}`);
  });
}

/**
 * Rounds of one try: each answer that got lost is looked up at once, and the next change goes on from there; as long as
 * that is quick.
 */
const ROUNDS = 5;
const ROUNDS_MS = 30 * SECOND;

/**
 * What one round of changes came to: those that differed, the first no, and whether a suspension or its end got no
 * answer.
 */
interface Round {
  readonly changed: readonly Difference[];
  readonly no: PanelFailure | 'missing' | null;
  readonly unclear: boolean;
  /** Where players connect, by the panel's last word. */
  readonly address: string | null;
}

/**
 * Makes the calls that repair what differs. A change that the panel does not take is no way around a suspension
 * (attacks T27); one that is silent is left alone.
 */
async function repair(deps: PanelSyncDeps, server: ServerRow, found: PanelServer, panelId: string): Promise<Round> {
  const wanted = (await deps.uow.read((tx) => loadDesired(tx, server.panel, [server]))).get(server.id) ?? {
    server,
    account: null,
    allocations: null,
  };
  const changed = differences(wanted, found);
  let no: PanelFailure | null = null;
  let { address } = found;
  for (const difference of changed) {
    const answer = await apply(deps, difference, { desired: wanted, found }, panelId);
    if (answer.outcome === 'not_found') return { changed, no: 'missing', unclear: false, address };
    if (answer.outcome === 'ok') {
      address = answer.value?.address ?? address;
      continue;
    }
    no ??= answer;
    if (answer.outcome !== 'refused' && answer.outcome !== 'conflict')
      return { changed, no, unclear: difference === 'suspend' || difference === 'unsuspend', address };
  }
  return { changed, no, unclear: false, address };
}

/** Brings a live server's limits, ports, name, owner, variables and suspension to what we want. */
async function align(deps: PanelSyncDeps, sync: SyncAttempt, panelId: string): Promise<void> {
  const { server, attempt } = sync;
  const begun = deps.clock.now();
  const changed = new Set<Difference>();
  // Pelican writes a suspension down before its machine knows, and leaves it so when that fails: then a change of
  // limits that changes nothing brings the machine up to date.
  const keeps = deps.panels.find(server.panel)?.driver === 'pelican';
  let unclear = attempt > 1;
  for (let round = 1; ; round += 1) {
    const read = await deps.callPanel(server.panel, 'read', (panel) => panel.readServer(panelId));
    if (read.outcome === 'not_found') return markMissing(deps, sync);
    if (read.outcome !== 'ok') return postpone(deps, sync, read);
    const { no, ...made } = await repair(deps, server, read.value, panelId);
    for (const each of made.changed) changed.add(each);
    unclear ||= made.unclear;
    if (no === 'missing') return markMissing(deps, sync);
    const lost = no?.outcome === 'unknown' && no.away === undefined;
    if (lost && round < ROUNDS && deps.clock.now() - begun < ROUNDS_MS) continue;
    if (no) return postpone(deps, sync, no);
    const failed =
      keeps && unclear && !made.changed.includes('build') ? await resyncMachine(deps, server, panelId) : null;
    if (failed) return postpone(deps, sync, failed);
    return recordAligned(deps, server, { ...read.value, address: made.address }, [...changed]);
  }
}

/**
 * A change of limits that changes nothing: the panel brings its machine up to date with it. Out: the answer where that
 * was no success.
 */
async function resyncMachine(
  deps: PanelSyncDeps,
  { panel, resources }: ServerRow,
  panelId: string,
): Promise<PanelFailure | null> {
  const answer = await deps.callPanel(panel, 'build', (it) =>
    it.setBuild(panelId, { resources, addAllocations: [], removeAllocations: [] }),
  );
  return answer.outcome === 'ok' ? null : answer;
}

/**
 * The panel has confirmed that nothing is left of the server: now its row goes and its resources are free (behaviour
 * 6.6).
 */
function recordRemoved(deps: PanelSyncDeps, { server }: SyncAttempt, sure: boolean): Promise<void> {
  return deps.uow.run(async (tx) => {
    const now = deps.clock.now();
    const current = await lockServer(tx, server.id);
    if (current?.desired !== 'deleted' || current.panelId !== server.panelId) return;
    const rechecked = current.panelState === 'missing' && now - (current.panelSeenMs ?? 0) >= RECHECK_MS;
    if (!sure && !rechecked) {
      // A creation that was never answered may still come through: asked once more.
      if (current.panelState !== 'missing')
        await tx.servers.update(server.id, { panelState: 'missing', panelSeenMs: now }, now);
      return deps.jobs.enqueueSync(tx, current, now + RECHECK_MS);
    }
    const nothing = { desired: 'nothing', panelId: null, panelState: null, syncedRevision: current.revision } as const;
    await deps.capacity.release(tx, current, true);
    if (current.state !== 'deleting') {
      tx.touch(`servers:${current.userId}`);
      return tx.servers.update(server.id, nothing, now);
    }
    await tx.servers.update(server.id, { ...nothing, state: 'deleted', address: null, deletedMs: now }, now);
    await tx.serverSchedules.removeAllOf(server.id);
    await deps.history.record(tx, current, 'deleted');
    await tx.subusers.endAllOf(server.id, now);
    const expired = current.suspendReason === 'expired';
    await deps.events.emit(tx, 'server.deleted', { ...toServerFacts(current), expired });
    tx.touch(`user:${current.userId}`);
  });
}

/** Removes a server from the panel. Nothing counts as removed while the panel has not said so. */
async function remove(deps: PanelSyncDeps, sync: SyncAttempt): Promise<void> {
  const { server, force } = sync;
  let panelId = server.panelId;
  if (panelId === null) {
    const found = await deps.callPanel(server.panel, 'find', (panel) => panel.findServerByExternalId(server.id));
    if (found.outcome === 'not_found') return recordRemoved(deps, sync, false);
    if (found.outcome !== 'ok') return postpone(deps, sync, found);
    panelId = found.value.panelId;
  }
  const target = panelId;
  const answer = await deps.callPanel(server.panel, 'delete', (panel) => panel.deleteServer(target, force));
  if (answer.outcome !== 'ok' && answer.outcome !== 'not_found') return postpone(deps, sync, answer);
  return recordRemoved(deps, sync, true);
}

/**
 * Brings the panel to what we want of one server now, whatever made it necessary. Safe to run at any time and as often
 * as one likes: it begins with what stands in our row and in the panel, not with what somebody once wanted. A desired
 * state that was replaced meanwhile has its own job, so this one has nothing to do. Throws PanelCallFailed where the
 * panel did not do it.
 */
export async function syncServer(
  deps: PanelSyncDeps,
  request: { serverId: string; revision: number; force?: boolean },
  attempt: number,
): Promise<void> {
  const server = await deps.uow.read((tx) => tx.servers.find(request.serverId));
  if (!server || server.revision > request.revision) return;
  const sync = { server, attempt, force: request.force ?? false };
  if (server.desired === 'deleted') return remove(deps, sync);
  const live = server.state === 'active' || server.state === 'suspended';
  if (live && server.panelId !== null) return align(deps, sync, server.panelId);
}
