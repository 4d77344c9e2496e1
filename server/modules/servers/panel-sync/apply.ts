import type { PanelSyncDeps } from './deps.ts';
import { lockServer, toEnvironment } from '../core/index.ts';
import { allocationChanges, type Difference, type DesiredServer } from './differences.ts';
import { NO_ACCOUNT, PORT_TAKEN } from '../panel/index.ts';
import type { PanelAnswer, PanelServer } from '../panel/ports.ts';
import type { ServerRow } from '../core/ports.ts';

/** What a call is made with: what we want, and what the panel was seen to have. */
interface Task {
  readonly desired: DesiredServer;
  readonly found: PanelServer;
}
/** Makes a call. Out: the server after it, where the panel says that. */
type Call = (deps: PanelSyncDeps, task: Task, panelId: string) => Promise<PanelAnswer<PanelServer | null>>;

const account = async (
  deps: PanelSyncDeps,
  { server, account: known }: DesiredServer,
): Promise<PanelAnswer<string>> => {
  if (known !== null) return { outcome: 'ok', value: known };
  const user = await deps.uow.read((tx) => tx.identity.findUser(server.userId));
  return user ? deps.accounts.ensure(server.panel, user) : { outcome: 'refused', reason: 'owner' };
};

/**
 * Name, description, our id and the owner: all of it each time, or the panel blanks what is left out. An account that
 * is gone is made again, once.
 */
const details: Call = async (deps, { desired: wanted }, panelId) => {
  const { server } = wanted;
  const set = async (owner: PanelAnswer<string>): Promise<PanelAnswer<PanelServer>> => {
    if (owner.outcome !== 'ok') return owner;
    const { id: externalId, name, description } = server;
    return deps.callPanel(server.panel, 'details', (panel) =>
      panel.setDetails(panelId, { name, description, externalId, userId: owner.value }),
    );
  };
  const answer = await set(await account(deps, wanted));
  if (answer.outcome !== 'refused' || answer.reason !== NO_ACCOUNT) return answer;
  await deps.accounts.forget(server.panel, server.userId);
  return set(await account(deps, { ...wanted, account: null }));
};

/**
 * Ports that the panel did not give (they are somebody else's there) are replaced here, and the change is tried once
 * more by the next sync.
 */
async function replaceTakenAllocations(
  deps: PanelSyncDeps,
  { server }: DesiredServer,
  missing: readonly string[],
): Promise<PanelAnswer<PanelServer>> {
  const { panel, panelNode: node, id: serverId } = server;
  if (panel === null || node === null) return { outcome: 'conflict' };
  await deps.uow.run(async (tx) => {
    const current = await lockServer(tx, serverId);
    if (!current || !(await tx.capacity.lock(panel))) return;
    await tx.capacity.releaseAllocations(serverId, missing, true);
    const left = await tx.capacity.allocationsOf(serverId);
    if (left.length < current.resources.ports)
      await tx.capacity.assignAllocations({ panel, node, serverId }, current.resources.ports - left.length);
    await deps.jobs.enqueueCapacity(tx, panel, node);
  });
  return { outcome: 'conflict' };
}

/** Ports that are still to be found for a server, because others took what it had: as many as its node has now. */
async function assignMissing(deps: PanelSyncDeps, wanted: DesiredServer, short: number): Promise<DesiredServer> {
  const { panel, panelNode: node, id: serverId } = wanted.server;
  if (short <= 0 || panel === null || node === null) return wanted;
  return deps.uow.run(async (tx) => {
    if (!(await lockServer(tx, serverId)) || !(await tx.capacity.lock(panel))) return wanted;
    const ports = await tx.capacity.assignAllocations({ panel, node, serverId }, short);
    // What becomes free at the panel by hand is said by nobody: the next try shall know of it.
    if (ports.length < wanted.server.resources.ports) await deps.jobs.enqueueCapacity(tx, panel, node);
    return { ...wanted, allocations: ports.map((each) => each.allocation) };
  });
}

/**
 * Limits, and the ports to give and to take. What the panel says it has now is what is kept here. Refused with
 * `no_port` while ports are wanting.
 */
const build: Call = async (deps, { desired: given, found }, panelId) => {
  const wanted = await assignMissing(deps, given, allocationChanges(given, found).short);
  const answer = await setBuild(deps, { desired: wanted, found }, panelId);
  return answer.outcome === 'ok' && allocationChanges(wanted, found).short > 0
    ? { outcome: 'refused', reason: 'no_port' }
    : answer;
};

const setBuild: Call = async (deps, { desired: wanted, found }, panelId) => {
  const { server } = wanted;
  const { addAllocations, removeAllocations } = allocationChanges(wanted, found);
  const answer = await deps.callPanel(server.panel, 'build', (panel) =>
    panel.setBuild(panelId, {
      resources: server.resources,
      addAllocations,
      removeAllocations,
      primaryPort: server.primaryPort,
    }),
  );
  if (answer.outcome === 'refused' && answer.reason === PORT_TAKEN)
    return replaceTakenAllocations(deps, wanted, addAllocations);
  if (answer.outcome === 'conflict' && addAllocations.length > 0) {
    const now = await deps.callPanel(server.panel, 'read', (panel) => panel.readServer(panelId));
    const has = now.outcome === 'ok' ? now.value.allocations?.map((each) => each.id) : null;
    return has
      ? replaceTakenAllocations(
          deps,
          wanted,
          addAllocations.filter((id) => !has.includes(id)),
        )
      : answer;
  }
  if (answer.outcome !== 'ok' || wanted.allocations === null) return answer;
  // A port in use is left out without a word (panel contract, section 5).
  const given = answer.value.allocations?.map((each) => each.id);
  const missing = given ? addAllocations.filter((id) => !given.includes(id)) : [];
  if (missing.length > 0) return replaceTakenAllocations(deps, wanted, missing);
  await deps.uow.run(async (tx) => {
    const current = await lockServer(tx, server.id);
    // The panel's sums have it from here on, also where ports are still wanting.
    if (current?.revision === server.revision) await tx.capacity.confirmReservation(server.id, deps.clock.now());
    if (removeAllocations.length > 0) await tx.capacity.releaseAllocations(server.id, removeAllocations, false);
    if (given && server.panel !== null)
      await tx.capacity.replaceAllocations({ panel: server.panel, serverId: server.id }, given);
    else await tx.capacity.markAssigned(server.id);
    // What was given back is in the panel's sums until they are read again.
    const less = found.resources.memory > server.resources.memory || found.resources.disk > server.resources.disk;
    if (less && server.panel !== null) await deps.jobs.enqueueCapacity(tx, server.panel);
  });
  return answer;
};

/**
 * The panel has the variables of this row now, whatever it says to the rest of a change. Where others were chosen
 * meanwhile this call may have undone theirs: then those are sent again.
 */
function recordStartup(deps: PanelSyncDeps, server: ServerRow): Promise<void> {
  return deps.uow.run(async (tx) => {
    const current = await lockServer(tx, server.id);
    if (!current) return;
    const now = deps.clock.now();
    if (current.revision === server.revision) return tx.servers.update(server.id, { startupRevision: 0 }, now);
    const syncedRevision = Math.min(current.syncedRevision, server.revision);
    await tx.servers.update(server.id, { startupRevision: current.revision, syncedRevision }, now);
    await deps.jobs.enqueueSync(tx, current, now);
  });
}

/** Variables that were changed here. Nothing where the software left the catalogue: then the panel keeps what it has. */
const startup: Call = async (deps, { desired: { server } }, panelId) => {
  const { egg, panelEgg } = await deps.uow.read(async (tx) => ({
    egg: await tx.catalog.egg(server.eggId),
    panelEgg: server.panel === null ? server.eggId : await tx.panelLinks.findPanelEgg(server.eggId, server.panel),
  }));
  if (!egg || panelEgg === null) return { outcome: 'ok', value: null };
  const { dockerImage, startup: command, configFiles, container } = egg;
  const environment = toEnvironment(egg.variables, server.variables);
  const answer = await deps.callPanel(server.panel, 'startup', (panel) =>
    panel.setStartup(panelId, { egg: panelEgg, dockerImage, startup: command, environment, configFiles, container }),
  );
  if (answer.outcome === 'ok') await recordStartup(deps, server);
  return answer;
};

/** A reinstall. That it was taken is written down at once, so that what follows does not ask for it again. */
const reinstall: Call = async (deps, { desired: { server }, found }, panelId) => {
  // One that runs already will do: it may be an earlier try of ours whose answer got lost.
  const runs = found.state === 'installing';
  const answer = runs
    ? ({ outcome: 'ok', value: null } as const)
    : await deps.callPanel(server.panel, 'reinstall', (panel) => panel.reinstall(panelId));
  if (answer.outcome !== 'ok') return answer;
  await deps.uow.run(async (tx) => {
    const current = await lockServer(tx, server.id);
    if (current?.reinstallMs === server.reinstallMs)
      await tx.servers.update(
        server.id,
        { reinstallMs: null, panelState: 'installing', panelSeenMs: deps.clock.now() },
        deps.clock.now(),
      );
  });
  return answer;
};

const CALLS: Readonly<Record<Difference, Call>> = {
  details,
  build,
  startup,
  reinstall,
  suspend: (deps, { desired: { server } }, panelId) =>
    deps.callPanel(server.panel, 'suspend', (panel) => panel.suspend(panelId)),
  unsuspend: (deps, { desired: { server } }, panelId) =>
    deps.callPanel(server.panel, 'unsuspend', (panel) => panel.unsuspend(panelId)),
};

/** Makes the call that repairs one difference. Out: the server after it, where the panel says that. */
export function apply(
  deps: PanelSyncDeps,
  difference: Difference,
  task: Task,
  panelId: string,
): Promise<PanelAnswer<PanelServer | null>> {
  return CALLS[difference](deps, task, panelId);
}
