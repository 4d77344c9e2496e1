import type { PanelSyncDeps } from './deps.ts';
import { lockServer } from '../core/index.ts';
import { EMBEDDED_DRIFT, type DriftRow } from '../panel/index.ts';
import { allocationsDiffer, differences, loadDesired, type DesiredServer } from './differences.ts';
import { reportedState, type PanelFailure } from '../panel/index.ts';
import type { PanelServer, PanelState } from '../panel/ports.ts';
import type { ServerRow } from '../core/ports.ts';

/** A server of a panel that is none of ours, or that we hold for gone. */
interface Orphan {
  readonly panelId: string;
  readonly externalId: string | null;
  readonly name: string;
}
interface Drift {
  /** Every panel answered to the end; otherwise nothing was concluded from what one did not name. */
  readonly complete: boolean;
  /** Servers of ours that differ from the panel's and are being repaired. */
  readonly repaired: readonly string[];
  /** Servers of ours that the panel did not name; a second answer decides. */
  readonly suspects: readonly string[];
  readonly orphans: readonly Orphan[];
}

const LIVE: ReadonlySet<string> = new Set(['active', 'suspended']);
const OVER: ReadonlySet<string> = new Set(['failed', 'deleted']);
const BATCH = 200;
/**
 * More ghosts at once than this, and than a fifth of a panel's servers, are no accident of single servers: a panel
 * restored from an old copy, or another one at its address.
 */
const MOST_GHOSTS = 5;
const GHOST_SHARE = 0.2;

/** What one page of a panel's list gave. */
interface Findings {
  /** Servers of ours to be synced again. */
  readonly outOfSync: string[];
  readonly remains: { id: string; found: PanelServer }[];
  readonly orphans: Orphan[];
  readonly states: { id: string; panelState: PanelState }[];
  readonly drift: DriftRow[];
}

/** Has servers synced once more; one job that waits is enough. */
function enqueueSyncs(deps: PanelSyncDeps, ids: readonly string[]): Promise<void> {
  return deps.uow.run(async (tx) => {
    for (const server of await tx.servers.listByIds(ids)) await deps.jobs.enqueueSync(tx, server);
  });
}

/** Something in the panel carries the id of a server that is over for us: we know that it is ours and that it must go. */
function removeRemains(deps: PanelSyncDeps, { id, found }: { id: string; found: PanelServer }): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await lockServer(tx, id);
    if (!server || !OVER.has(server.state) || server.desired === 'deleted') return;
    const revision = server.revision + 1;
    await tx.servers.update(id, { desired: 'deleted', panelId: found.panelId, revision }, deps.clock.now());
    await deps.jobs.enqueueSync(tx, { id, revision });
    await deps.history.record(tx, server, 'repaired', 'remains');
  });
}

/** Compares one server of a panel with ours of the same panel. */
function compare(found: PanelServer, wanted: DesiredServer | undefined, findings: Findings): void {
  const ours = wanted?.server;
  if (!wanted || !ours || (LIVE.has(ours.state) && ours.panelId !== found.panelId)) {
    findings.orphans.push({ panelId: found.panelId, externalId: found.externalId, name: found.name });
    findings.drift.push({
      kind: 'orphan',
      ref: found.panelId,
      serverId: null,
      name: found.name,
      detail: found.externalId ?? '',
    });
    return;
  }
  if (OVER.has(ours.state)) findings.remains.push({ id: ours.id, found });
  if (!LIVE.has(ours.state)) return;
  const list = differences(wanted, found);
  const ends = ours.panelState === 'installing' && found.state !== 'installing';
  if (list.length > 0)
    findings.drift.push({
      kind: 'differs',
      ref: found.panelId,
      serverId: ours.id,
      name: ours.name,
      detail: list.join(', '),
    });
  if (list.length > 0 || ours.panelState === 'missing' || ends || allocationsDiffer(wanted, found))
    findings.outOfSync.push(ours.id);
  else if (reportedState(found) !== ours.panelState)
    findings.states.push({ id: ours.id, panelState: reportedState(found) });
}

/**
 * Servers of ours that a page of a panel's list is about: by our id, and those taken over by the panel's (their id is
 * being set).
 */
async function findOurServers(
  deps: PanelSyncDeps,
  panel: string | null,
  servers: readonly PanelServer[],
): Promise<Map<string, DesiredServer>> {
  return deps.uow.read(async (tx) => {
    const named = await tx.servers.listByIds(
      servers.flatMap(({ externalId }) => (externalId === null ? [] : [externalId])),
    );
    const here = named.filter((server) => server.panel === panel);
    const known = new Set(here.map((server) => server.id));
    const strangers =
      panel === null ? [] : servers.filter(({ externalId }) => externalId === null || !known.has(externalId));
    const taken =
      panel === null || strangers.length === 0
        ? []
        : await tx.servers.listByPanelIds(
            panel,
            strangers.map(({ panelId }) => panelId),
          );
    const wanted = await loadDesired(tx, panel, [...here, ...taken]);
    const byPanelId = new Map(taken.map((server) => [server.panelId, server.id]));
    return new Map(
      servers.flatMap((found): [string, DesiredServer][] => {
        const one = wanted.get(byPanelId.get(found.panelId) ?? found.externalId ?? '');
        return one ? [[found.panelId, one]] : [];
      }),
    );
  });
}

/** A panel that does not tell its list is away for those who wait for it as well. */
async function recordOutage(deps: PanelSyncDeps, panel: string | null, answer: PanelFailure): Promise<void> {
  const wait = deps.outages.causeOf(panel, answer);
  if (panel === null || !wait || (wait.cause !== 'panel' && wait.cause !== 'key')) return;
  const why = { cause: wait.cause, reason: wait.reason };
  await deps.uow.run((tx) => deps.outages.start(tx, { panel, panelNode: null }, why, []));
}

/** Every server a panel has, page by page; null as soon as it does not answer: half a list proves nothing. */
async function readPanel(
  deps: PanelSyncDeps,
  panel: string | null,
  visit: (servers: readonly PanelServer[]) => Promise<void>,
): Promise<Set<string> | null> {
  const seen = new Set<string>();
  for (let page: number | null = 1; page !== null;) {
    const wanted: number = page;
    const answer = await deps.callPanel(panel, 'list', (it) => it.listServers(wanted));
    if (answer.outcome !== 'ok') {
      await recordOutage(deps, panel, answer);
      return null;
    }
    for (const server of answer.value.servers) seen.add(server.panelId);
    await visit(answer.value.servers);
    page = answer.value.next;
  }
  return seen;
}

/**
 * Live servers of ours that their panel did not name. Each is asked for by itself, so that nothing rests on a list that
 * was old when it was read.
 */
async function listMissing(
  deps: PanelSyncDeps,
  panel: string | null,
  seen: ReadonlySet<string>,
  begun: number,
): Promise<ServerRow[]> {
  const suspects: ServerRow[] = [];
  let after = '';
  for (;;) {
    const from = after;
    const rows = await deps.uow.read((tx) => tx.servers.listAtPanel(panel, from, BATCH));
    const missed = rows.filter(
      (server) => LIVE.has(server.state) && server.panelId !== null && !seen.has(server.panelId),
    );
    // A server that came to be while the list was read need not be on it.
    suspects.push(...missed.filter((server) => server.createdMs < begun));
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return suspects;
    after = last.id;
  }
}

/** Writes what a page gave; nothing where everything was as it should be. */
async function saveFindings(
  deps: PanelSyncDeps,
  panel: string | null,
  findings: Findings,
  begun: number,
): Promise<void> {
  const { outOfSync, remains, states, drift } = findings;
  if (drift.length + states.length > 0) {
    await deps.uow.run(async (tx) => {
      await tx.panelLinks.saveDrift(panel ?? EMBEDDED_DRIFT, drift, begun);
      await tx.servers.updatePanelStates(states, deps.clock.now());
    });
  }
  if (outOfSync.length > 0) await enqueueSyncs(deps, outOfSync);
  for (const each of remains) await removeRemains(deps, each);
}

async function reconcilePanel(
  deps: PanelSyncDeps,
  panel: string | null,
): Promise<{ complete: boolean; repaired: string[]; suspects: string[]; orphans: Orphan[] }> {
  const begun = deps.clock.now();
  const total = { repaired: [] as string[], orphans: [] as Orphan[] };
  const seen = await readPanel(deps, panel, async (servers) => {
    const ours = await findOurServers(deps, panel, servers);
    const findings: Findings = { outOfSync: [], remains: [], orphans: [], states: [], drift: [] };
    for (const server of servers) compare(server, ours.get(server.panelId), findings);
    total.repaired.push(...findings.outOfSync);
    total.orphans.push(...findings.orphans);
    await saveFindings(deps, panel, findings, begun);
  });
  const ghosts = seen ? await listMissing(deps, panel, seen, begun) : [];
  // So many are for staff to decide (the drift list has them): nobody's server is given up over it.
  const believed = ghosts.length <= Math.max(MOST_GHOSTS, GHOST_SHARE * (ghosts.length + (seen?.size ?? 0)));
  if (!believed) deps.log.error('servers.many_ghosts', { panel, ghosts: ghosts.length, named: seen?.size ?? 0 });
  else if (ghosts.length > 0)
    await enqueueSyncs(
      deps,
      ghosts.map((server) => server.id),
    );
  if (seen) {
    const rows = ghosts.map((server): DriftRow => ({
      kind: 'ghost',
      ref: server.panelId ?? '',
      serverId: server.id,
      name: server.name,
      detail: '',
    }));
    await deps.uow.run(async (tx) => {
      await tx.panelLinks.saveDrift(panel ?? EMBEDDED_DRIFT, rows, begun);
      await tx.panelLinks.deleteStaleDrift(panel ?? EMBEDDED_DRIFT, begun);
    });
  }
  if (total.orphans.length > 0)
    deps.log.warn('servers.orphans', {
      panel,
      count: total.orphans.length,
      panelIds: total.orphans.slice(0, 20).map((orphan) => orphan.panelId),
    });
  return { complete: seen !== null, ...total, suspects: ghosts.map((server) => server.id) };
}

/**
 * Compares every panel with our rows of that panel (behaviour 6.3). What differs is repaired towards what we want; a
 * server of ours that its panel does not have is asked for again and fails at the second "not found"; what only the
 * panel has is reported. What was found stands in the drift list until a complete comparison finds it no more. A panel
 * that does not answer, or is removed, proves nothing.
 */
export async function reconcile(deps: PanelSyncDeps): Promise<Drift> {
  const all = [];
  for (const { id } of await deps.panels.list()) all.push(await reconcilePanel(deps, id));
  return {
    complete: all.every((each) => each.complete),
    repaired: all.flatMap((each) => each.repaired),
    suspects: all.flatMap((each) => each.suspects),
    orphans: all.flatMap((each) => each.orphans),
  };
}

/** Changes that the panel should have got by now and did not. Each has a job that still tries, or gets a new one. */
export async function requeueStale(deps: PanelSyncDeps, olderThanMs: number): Promise<number> {
  const beforeMs = deps.clock.now() - olderThanMs;
  const rows = await deps.long.read((tx) => tx.servers.listUnsynced(beforeMs, BATCH), { for: 'job' });
  if (rows.length > 0)
    await enqueueSyncs(
      deps,
      rows.map(({ id }) => id),
    );
  return rows.length;
}
