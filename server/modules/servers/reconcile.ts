import { record, wakeSync, lockAny, type ServersDeps } from './deps.ts';
import { ask } from './panel-calls.ts';
import type { PanelServer } from './panel-port.ts';
import type { ServerRow } from './ports.ts';
import { differences } from './sync.ts';

/** A server of the panel that is none of ours, or that we hold for gone. */
export interface Orphan {
  readonly panelId: string;
  readonly externalId: string | null;
  readonly name: string;
}
export interface Drift {
  /** The panel answered to the end; otherwise nothing was concluded from what it did not name. */
  readonly complete: boolean;
  /** Servers of ours that differ from the panel's and are being repaired. */
  readonly repaired: readonly string[];
  /** Servers of ours that the panel did not name; a second look decides. */
  readonly suspects: readonly string[];
  readonly orphans: readonly Orphan[];
}

const LIVE: ReadonlySet<string> = new Set(['active', 'suspended']);
const OVER: ReadonlySet<string> = new Set(['failed', 'deleted']);
const BATCH = 200;

/** Asks for another look at a server; one that is already asked for is enough. */
function lookAgain(deps: ServersDeps, id: string): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await tx.servers.find(id);
    if (server) await wakeSync(deps, tx, server);
  });
}

/** Something in the panel carries the id of a server that is over for us: we know that it is ours and that it must go. */
function removeRemains(deps: ServersDeps, id: string, found: PanelServer): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await lockAny(tx, id);
    if (!server || !OVER.has(server.state) || server.desired === 'deleted') return;
    const revision = server.revision + 1;
    await tx.servers.change(id, { desired: 'deleted', panelId: found.panelId, revision }, deps.clock.now());
    await wakeSync(deps, tx, { id, revision });
    await record(deps, tx, server, 'repaired', 'remains');
  });
}

/** Compares one server of the panel with ours. */
async function compare(deps: ServersDeps, found: PanelServer, ours: ServerRow | undefined, drift: { repaired: string[]; orphans: Orphan[] }): Promise<void> {
  if (!ours || (LIVE.has(ours.state) && ours.panelId !== found.panelId)) {
    drift.orphans.push({ panelId: found.panelId, externalId: found.externalId, name: found.name });
    return;
  }
  if (OVER.has(ours.state)) return removeRemains(deps, ours.id, found);
  if (!LIVE.has(ours.state) || found.state === 'installing') return;
  if (differences(ours, found).length === 0 && ours.panelState !== 'missing') return;
  drift.repaired.push(ours.id);
  await lookAgain(deps, ours.id);
}

/** Every server the panel has, page by page; null as soon as it does not answer: half a list proves nothing. */
async function readPanel(deps: ServersDeps, visit: (servers: readonly PanelServer[]) => Promise<void>): Promise<Set<string> | null> {
  const seen = new Set<string>();
  for (let page: number | null = 1; page !== null; ) {
    const wanted: number = page;
    const answer = await ask(deps, 'list', () => deps.panel.listServers(wanted));
    if (answer.outcome !== 'ok') return null;
    for (const server of answer.value.servers) seen.add(server.panelId);
    await visit(answer.value.servers);
    page = answer.value.next;
  }
  return seen;
}

/** Live servers of ours that the panel did not name. Each gets a look of its own, so that nothing rests on a list that was old when it was read. */
async function unnamed(deps: ServersDeps, seen: ReadonlySet<string>): Promise<string[]> {
  const suspects: string[] = [];
  let after = '';
  for (;;) {
    const from = after;
    const rows = await deps.uow.read((tx) => tx.servers.inPanel(from, BATCH));
    for (const server of rows) {
      if (!LIVE.has(server.state) || server.panelId === null || seen.has(server.panelId)) continue;
      suspects.push(server.id);
      await lookAgain(deps, server.id);
    }
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return suspects;
    after = last.id;
  }
}

/**
 * Compares the panel with our rows (behaviour 6.3). What differs is repaired towards what we want; a server of ours that the panel does not
 * have is looked at again and fails at the second "not found"; what only the panel has is reported. A panel that does not answer proves nothing.
 */
export async function reconcile(deps: ServersDeps): Promise<Drift> {
  const drift = { repaired: [] as string[], orphans: [] as Orphan[] };
  const seen = await readPanel(deps, async (servers) => {
    const ids = servers.flatMap((server) => (server.externalId === null ? [] : [server.externalId]));
    const ours = new Map((await deps.uow.read((tx) => tx.servers.byIds(ids))).map((server) => [server.id, server]));
    for (const server of servers) await compare(deps, server, ours.get(server.externalId ?? ''), drift);
  });
  const suspects = seen ? await unnamed(deps, seen) : [];
  if (drift.orphans.length > 0) deps.log.warn('servers.orphans', { count: drift.orphans.length, panelIds: drift.orphans.slice(0, 20).map((orphan) => orphan.panelId) });
  return { complete: seen !== null, ...drift, suspects };
}

/** Wishes the panel should have got by now and did not. Each has a job that still tries, or gets a new one. */
export async function nudge(deps: ServersDeps, olderThanMs: number): Promise<number> {
  const rows = await deps.uow.read((tx) => tx.servers.outOfStep(deps.clock.now() - olderThanMs, BATCH));
  for (const { id } of rows) await lookAgain(deps, id);
  return rows.length;
}
