import type { ServerRow } from '#server/modules/servers/core/ports.ts';
import type { ServerRow as PanelRow } from '#tests/support/panels/index.ts';
import type { Site, World } from './world.ts';

const OURS = /^[0-9a-f]{8}-/;
const LIVE: ReadonlySet<string> = new Set(['active', 'suspended']);
const list = (values: Iterable<unknown>) => JSON.stringify([...values].toSorted());

/** No credit lost, and nobody charged twice: the ledger against what was given and paid as seen from outside. */
async function creditFaults({ uow, ledger, books, people, db }: World): Promise<string[]> {
  const faults = [
    ...books.faults,
    ...(await uow.read((tx) => tx.ledger.verify())).map((fault) => `the ledger: ${JSON.stringify(fault)}`),
  ];
  const wanted = books.balances();
  for (const { actor } of people) {
    const has = await uow.read((tx) => ledger.balance(tx, `user:${actor.userId}`));
    if (has !== wanted.get(actor.userId))
      faults.push(`${actor.username} has ${has} credits, and should have ${wanted.get(actor.userId)}`);
  }
  const counts = books.periods();
  for (const { id, periods } of await db.sql<{ id: string; periods: number }>('SELECT id, periods FROM servers')) {
    if (periods !== (counts.get(id) ?? 0))
      faults.push(`server ${id} was paid ${periods} times, and renewed ${counts.get(id) ?? 0} times`);
  }
  return faults;
}

function wantedAt(server: ServerRow, account: string | null, ports: readonly string[]): string {
  const { memory, disk, cpu, databases, backups, ports: count } = server.resources;
  const suspended = server.state === 'suspended';
  return JSON.stringify({
    id: server.id,
    name: server.name,
    description: server.description,
    memory,
    disk,
    cpu,
    databases,
    backups,
    count,
    suspended,
    owner: account,
    ports: ports.toSorted(),
  });
}
function foundAt({ fake }: Site, server: PanelRow): string {
  const ports = fake.state
    .allocationsOfServer(server.id)
    .map(({ id }) => String(id))
    .toSorted();
  return JSON.stringify({
    id: server.externalId,
    name: server.name,
    description: server.description,
    memory: server.memory,
    disk: server.disk,
    cpu: server.cpu,
    databases: server.databaseLimit,
    backups: server.backupLimit,
    count: server.allocationLimit,
    suspended: server.status === 'suspended',
    owner: String(server.ownerId),
    ports,
  });
}

/**
 * Each live server stands at its panel, once and as it is wanted, and the panel has nothing else that the drift view
 * does not show.
 */
async function panelFaults(world: World, site: Site, rows: readonly ServerRow[]): Promise<string[]> {
  const faults: string[] = [];
  const there = [...site.fake.state.servers.values()];
  const live = rows.filter((row) => row.panel === site.id && LIVE.has(row.state));
  const known = new Set<number>();
  const short: string[] = [];
  for (const row of live) {
    const found = there.filter((server) => server.externalId === row.id);
    const [only] = found;
    if (!only || found.length !== 1 || String(only.id) !== row.panelId) {
      faults.push(
        `${row.id} (${row.state}) is ${found.length} times at its panel, as ${list(found.map(({ id }) => id))} in place of ${row.panelId}`,
      );
      continue;
    }
    known.add(only.id);
    const { account, ports } = await world.uow.read(async (tx) => ({
      account: await tx.panelLinks.findAccount(site.id, row.userId),
      ports: await tx.capacity.allocationsOf(row.id),
    }));
    const wanted = wantedAt(
      row,
      account?.account ?? null,
      ports.map(({ allocation }) => allocation),
    );
    const has = foundAt(site, only);
    if (wanted !== has) faults.push(`${row.id} should be ${wanted} and is ${has}`);
    if (ports.length === row.resources.ports) continue;
    const hasFree = site.fake.state.allocationsOfNode(only.nodeId).some(({ serverId }) => serverId === null);
    // Somebody took its port by hand, and its node has no other: it asks on, and staff see it.
    if (ports.length < row.resources.ports && !hasFree) short.push(`differs ${only.id} (build)`);
    else faults.push(`${row.id} has ${ports.length} ports of ${row.resources.ports}`);
  }
  const strange = there.filter(({ id }) => !known.has(id));
  for (const { externalId } of strange)
    if (externalId !== null && OURS.test(externalId)) faults.push(`the panel still has ${externalId}, which is over`);
  const drift = await world.db.sql<{ kind: string; ref: string; detail: string }>(
    'SELECT kind, ref, detail FROM panel_drift WHERE panel = ?',
    [site.id],
  );
  const [shown, orphans] = [
    list(drift.map(({ kind, ref, detail }) => (kind === 'orphan' ? `${kind} ${ref}` : `${kind} ${ref} (${detail})`))),
    list([...strange.map(({ id }) => `orphan ${id}`), ...short]),
  ];
  if (shown !== orphans) faults.push(`the drift view shows ${shown}, and there is ${orphans}`);
  return faults;
}

/** Ports and room belong to live servers, or to nobody. */
async function bookFaults({ db }: World, rows: readonly ServerRow[]): Promise<string[]> {
  const live = new Set(rows.filter(({ state }) => LIVE.has(state)).map(({ id }) => id));
  const held = await db.sql<{ server_id: string }>(
    'SELECT DISTINCT server_id FROM node_allocations WHERE server_id IS NOT NULL',
  );
  const promised = await db.sql<{ server_id: string; confirmed_ms: number | null }>(
    'SELECT server_id, confirmed_ms FROM capacity_reservations',
  );
  return [
    ...held
      .filter(({ server_id: id }) => !live.has(id))
      .map(({ server_id: id }) => `${id} is over and still holds ports`),
    ...promised
      .filter(({ server_id: id }) => !live.has(id))
      .map(({ server_id: id }) => `${id} is over and still has room promised`),
    ...promised
      .filter(({ confirmed_ms: ms }) => ms === null)
      .map(({ server_id: id }) => `the room of ${id} was never confirmed`),
  ];
}

/** Everything that does not hold in the end. */
export async function faultsOf(world: World): Promise<string[]> {
  const ids = await world.db.sql<{ id: string }>('SELECT id FROM servers');
  const rows = await world.uow.read((tx) => tx.servers.listByIds(ids.map(({ id }) => id)));
  const open = rows.filter(
    ({ state, desired }) =>
      state === 'queued' ||
      state === 'installing' ||
      state === 'deleting' ||
      (desired === 'deleted' && state !== 'active'),
  );
  const broken = world.log.lines.filter(({ event }) => BROKEN.has(event)).map((line) => JSON.stringify(line));
  const thrown = world.log.lines
    .filter(({ event, fields }) => event === 'job.failed' && !BORNE.test(String(fields['error'])))
    .map((line) => JSON.stringify(line));
  return [
    ...new Set([...broken, ...thrown]),
    ...(await creditFaults(world)),
    ...open.map(({ id, state, desired }) => `${id} is still ${state}, wanted ${desired}`),
    ...(await Promise.all(world.sites.map((site) => panelFaults(world, site, rows)))).flat(),
    ...(await bookFaults(world, rows)),
  ];
}
/** Lines of the log that are never written while all faults are somebody else's. */
const BROKEN: ReadonlySet<string> = new Set([
  'servers.panel_threw',
  'servers.expiry_failed',
  'schedule.failed',
  'schedule.run_failed',
  'schedule.round_failed',
  'job.not_ended',
]);
/**
 * Why a job may fail here: the panel, and a product that was killed in the last attempt of one that a sweep asks for
 * again.
 */
const BORNE = /^(the panel answered |its last attempt was cut off$)/;
