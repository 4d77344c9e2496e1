import { href } from '#shared/routes/href.ts';
import { lockAny, record, tell, wakeSync, type ServersDeps } from './deps.ts';
import { failServer } from './finish.ts';
import { ask, stateOf, type NoAnswer } from './panel-calls.ts';
import type { PanelAnswer, PanelServer } from './panel-port.ts';
import { SECOND_LOOK_MS, SERVER_KINDS } from './policy.ts';
import type { ServerRow } from './ports.ts';

/** The panel did not do it: thrown to the runner of jobs, which tries again after a growing pause, for ever. */
class PanelLater extends Error {
  constructor(outcome: string) {
    super(`the panel answered ${outcome}`);
    this.name = 'PanelLater';
  }
}

interface Turn {
  readonly server: ServerRow;
  /** Which try of this job it is, from 1. */
  readonly attempt: number;
}

/** Gives up for now. Out: never; throws PanelLater. A clear no is noted for the owner the first time. */
async function later(deps: ServersDeps, { server, attempt }: Turn, answer: NoAnswer): Promise<never> {
  if (answer.outcome === 'refused' && attempt === 1) await deps.uow.run((tx) => record(deps, tx, server, 'syncRefused'));
  throw new PanelLater(answer.outcome);
}

/**
 * The panel says that it has no such server. Once may be a slip; the second look, a minute later at least, makes it a ghost: it failed, and
 * what it took of the limits is free (behaviour 6.3). A panel that does not answer never leads here.
 */
function missing(deps: ServersDeps, { server }: Turn): Promise<void> {
  return deps.uow.run(async (tx) => {
    const now = deps.clock.now();
    const current = await lockAny(tx, server.id);
    if (!current || (current.state !== 'active' && current.state !== 'suspended')) return;
    if (current.panelState === 'missing' && now - (current.panelSeenMs ?? 0) >= SECOND_LOOK_MS) {
      await failServer(deps, tx, { ...current, panelId: null, panelState: null }, 'panelLost', `lost:${current.panelId ?? ''}`);
      await tx.servers.change(server.id, { panelId: null }, now);
      return;
    }
    if (current.panelState !== 'missing') await tx.servers.change(server.id, { panelState: 'missing', panelSeenMs: now }, now);
    await wakeSync(deps, tx, current, now + SECOND_LOOK_MS);
  });
}

/** What differs between what we want and what the panel has, in words of the panel's calls. */
export function differences(server: ServerRow, panel: PanelServer): ('details' | 'build' | 'suspend' | 'unsuspend')[] {
  const found: ('details' | 'build' | 'suspend' | 'unsuspend')[] = [];
  if (server.name !== panel.name || server.description !== panel.description) found.push('details');
  if (SERVER_KINDS.some((kind) => server.resources[kind] !== panel.resources[kind])) found.push('build');
  if (server.desired === 'suspended' && !panel.suspended) found.push('suspend');
  if (server.desired === 'running' && panel.suspended) found.push('unsuspend');
  return found;
}

function apply(deps: ServersDeps, server: ServerRow, panelId: string, difference: ReturnType<typeof differences>[number]): Promise<PanelAnswer<unknown>> {
  const { panel } = deps;
  const calls: Record<typeof difference, () => Promise<PanelAnswer<unknown>>> = {
    details: () => panel.setDetails(panelId, { name: server.name, description: server.description }),
    build: () => panel.setBuild(panelId, server.resources),
    suspend: () => panel.suspend(panelId),
    unsuspend: () => panel.unsuspend(panelId),
  };
  return ask(deps, difference, calls[difference]);
}

/** The panel is where we wanted it. If the wish has changed meanwhile, our late calls may have undone a newer one: then once more. */
function aligned(deps: ServersDeps, server: ServerRow, panel: PanelServer, changed: readonly string[]): Promise<void> {
  return deps.uow.run(async (tx) => {
    const now = deps.clock.now();
    const current = await lockAny(tx, server.id);
    if (!current || (current.state !== 'active' && current.state !== 'suspended')) return;
    const suspended = server.desired === 'suspended';
    const seen = { panelState: stateOf({ ...panel, suspended }), panelSeenMs: now, address: panel.address ?? current.address } as const;
    const newer = current.revision > server.revision;
    await tx.servers.change(server.id, { ...seen, syncedRevision: newer ? Math.min(current.syncedRevision, server.revision) : current.revision }, now);
    if (newer) await wakeSync(deps, tx, current, now);
    if (changed.length === 0) return;
    if (server.syncedRevision === server.revision) await record(deps, tx, server, 'repaired', changed.join(', '));
    else tx.touch(`servers:${server.userId}`);
  });
}

/** Brings a live server's limits, name and suspension to what we want. */
async function align(deps: ServersDeps, turn: Turn, panelId: string): Promise<void> {
  const { server } = turn;
  const read = await ask(deps, 'read', () => deps.panel.readServer(panelId));
  if (read.outcome === 'not_found') return missing(deps, turn);
  if (read.outcome !== 'ok') return later(deps, turn, read);
  const changed = differences(server, read.value);
  for (const difference of changed) {
    const answer = await apply(deps, server, panelId, difference);
    if (answer.outcome === 'not_found') return missing(deps, turn);
    if (answer.outcome !== 'ok') return later(deps, turn, answer);
  }
  return aligned(deps, server, read.value, changed);
}

/** The panel has confirmed that nothing is left of the server: now its row goes and its resources are free (behaviour 6.6). */
function gone(deps: ServersDeps, { server }: Turn, sure: boolean): Promise<void> {
  return deps.uow.run(async (tx) => {
    const now = deps.clock.now();
    const current = await lockAny(tx, server.id);
    if (current?.desired !== 'deleted' || current.panelId !== server.panelId) return;
    const looked = current.panelState === 'missing' && now - (current.panelSeenMs ?? 0) >= SECOND_LOOK_MS;
    if (!sure && !looked) {
      // A creation that was never answered may still come through: look once more.
      if (current.panelState !== 'missing') await tx.servers.change(server.id, { panelState: 'missing', panelSeenMs: now }, now);
      return wakeSync(deps, tx, current, now + SECOND_LOOK_MS);
    }
    const nothing = { desired: 'nothing', panelId: null, panelState: null, syncedRevision: current.revision } as const;
    if (current.state !== 'deleting') {
      tx.touch(`servers:${current.userId}`);
      return tx.servers.change(server.id, nothing, now);
    }
    await tx.servers.change(server.id, { ...nothing, state: 'deleted', address: null, deletedMs: now }, now);
    await record(deps, tx, current, 'deleted');
    await tell(deps, tx, current, { kind: 'serverDeleted', data: {}, key: 'gone' });
    if (current.suspendReason === 'expired') {
      const letter = { server: current.name, path: href('server.create') };
      await deps.mailing.sendTo(tx, current.userId, 'serverDeleted', letter, `serverDeleted:${current.id}`);
    }
    tx.touch(`user:${current.userId}`);
  });
}

/** Removes a server from the panel. Nothing counts as removed while the panel has not said so. */
async function remove(deps: ServersDeps, turn: Turn): Promise<void> {
  const { server } = turn;
  let panelId = server.panelId;
  if (panelId === null) {
    const found = await ask(deps, 'find', () => deps.panel.findServerByExternalId(server.id));
    if (found.outcome === 'not_found') return gone(deps, turn, false);
    if (found.outcome !== 'ok') return later(deps, turn, found);
    panelId = found.value.panelId;
  }
  const target = panelId;
  const answer = await ask(deps, 'delete', () => deps.panel.deleteServer(target));
  if (answer.outcome !== 'ok' && answer.outcome !== 'not_found') return later(deps, turn, answer);
  return gone(deps, turn, true);
}

/**
 * Brings the panel to what we want of one server now, whatever made it necessary. Safe to run at any time and as often as one likes: it
 * begins with what stands in our row and in the panel, not with what somebody once wanted. A wish that was replaced meanwhile has its own
 * job, so this one has nothing to do. Throws PanelLater where the panel did not do it.
 */
export async function syncServer(deps: ServersDeps, wish: { serverId: string; revision: number }, attempt: number): Promise<void> {
  const server = await deps.uow.read((tx) => tx.servers.find(wish.serverId));
  if (!server || server.revision > wish.revision) return;
  const turn = { server, attempt };
  if (server.desired === 'deleted') return remove(deps, turn);
  const live = server.state === 'active' || server.state === 'suspended';
  if (live && server.panelId !== null) return align(deps, turn, server.panelId);
}
