import { listed, made, NO_CONTENT, ok, rowOf, whole, type Answer, type Call, type Route } from './context.ts';
import { display } from './errors.ts';
import { like, paged, type Listing } from './query.ts';
import type { Body, LocationRow, NodeRow } from './rows.ts';
import { demand, unique, type Rules } from './rules.ts';
import { createSeeder } from './seed.ts';
import { noViableNode, viableNodes } from './deploy.ts';

const NODES: Listing<NodeRow> = {
  filters: {
    uuid: like((row) => row.uuid),
    name: like((row) => row.name),
    fqdn: like((row) => row.fqdn),
    daemon_token_id: like(() => ''),
  },
  sorts: { id: (row) => row.id, uuid: (row) => row.uuid, memory: (row) => row.memory, disk: (row) => row.disk },
};
const LOCATIONS: Listing<LocationRow> = {
  filters: { short: like((row) => row.short), long: like((row) => row.long) },
  sorts: { id: (row) => row.id },
};

const NODE_RULES: Rules = {
  name: ['required', 'between:1,100'],
  fqdn: ['required', 'string'],
  scheme: ['required', 'in:http,https'],
  memory: ['required', 'numeric', 'min:1'],
  memory_overallocate: ['required', 'numeric', 'min:-1'],
  disk: ['required', 'numeric', 'min:1'],
  disk_overallocate: ['required', 'numeric', 'min:-1'],
  daemon_sftp: ['required', 'numeric', 'between:1,65535'],
  daemon_listen: ['required', 'numeric', 'between:1,65535'],
};
/** What a body says of a node; what it leaves out keeps the row's value. */
function nodeFacts(body: Body, row: Partial<NodeRow>): Partial<NodeRow> {
  const number = (key: string, other: number | undefined) =>
    body[key] === undefined || body[key] === null ? other : Number(body[key]);
  const text = (key: string, other: string | undefined) => (typeof body[key] === 'string' ? body[key] : other);
  const flag = (key: string, other: boolean | undefined) =>
    key in body ? [true, 1, '1'].some((each) => each === body[key]) : other;
  const facts = {
    name: text('name', row.name),
    fqdn: text('fqdn', row.fqdn),
    scheme: text('scheme', row.scheme),
    description: text('description', row.description ?? undefined) ?? null,
    public: flag('public', row.public ?? true),
    maintenance: flag('maintenance_mode', row.maintenance),
    behindProxy: flag('behind_proxy', row.behindProxy),
    locationId: number('location_id', row.locationId ?? undefined),
    memory: number('memory', row.memory),
    disk: number('disk', row.disk),
    memoryOverallocate: number('memory_overallocate', row.memoryOverallocate),
    diskOverallocate: number('disk_overallocate', row.diskOverallocate),
    uploadSize: number('upload_size', row.uploadSize),
    daemonSftp: number('daemon_sftp', row.daemonSftp),
    daemonListen: number('daemon_listen', row.daemonListen),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
function createNode({ state, body, show, includes, origin }: Call): Answer {
  demand(body, { ...NODE_RULES, ...(state.dialect === 'pelican' ? {} : { location_id: ['required', 'integer'] }) });
  const row = createSeeder(state).addNode(nodeFacts(body, {}));
  return made(show.node(row, includes), `${origin}/api/application/nodes/${row.id}`);
}
/** All required fields each time; a machine that cannot be reached is an error after it was saved (4). */
async function updateNode({ state, params, body, show, includes, daemons }: Call): Promise<Answer> {
  const row = rowOf(state.nodes, params[0]);
  demand(body, NODE_RULES);
  Object.assign(row, nodeFacts(body, row), { updatedMs: state.now() });
  try {
    await daemons.configure(row);
  } catch {
    throw display(
      'ConfigurationNotPersistedException',
      'The daemon configuration <strong>has been updated</strong>, however there was an error encountered while attempting to automatically update the configuration file on the Daemon.',
    );
  }
  return ok(show.node(row, includes, { mounts: [] }));
}
function removeNode({ state, params }: Call): Answer {
  const row = rowOf(state.nodes, params[0]);
  if (state.serversOfNode(row.id).length > 0)
    throw display('HasActiveServersException', 'A node must have no servers linked to it in order to be deleted.');
  for (const allocation of state.allocationsOfNode(row.id)) state.removeAllocation(allocation.id);
  state.nodes.delete(row.id);
  return NO_CONTENT;
}
function configuration({ state, params, origin }: Call): Answer {
  const row = rowOf(state.nodes, params[0]);
  const ssl = {
    enabled: row.scheme === 'https',
    cert: `/etc/letsencrypt/live/${row.fqdn}/fullchain.pem`,
    key: `/etc/letsencrypt/live/${row.fqdn}/privkey.pem`,
  };
  return ok({
    debug: false,
    uuid: row.uuid,
    token_id: 'x'.repeat(16),
    token: 'y'.repeat(64),
    api: { host: '0.0.0.0', port: row.daemonListen, ssl, upload_limit: row.uploadSize },
    system: { data: row.daemonBase, sftp: { bind_port: row.daemonSftp } },
    allowed_mounts: [],
    remote: origin,
  });
}
/**
 * Nodes with room (4, 8): 400 where none has it with Pterodactyl, an empty list with Pelican. Pages only where one is
 * asked for.
 */
function deployable(call: Call): Answer {
  const { state, query, body, show, includes } = call;
  const wanted: Body = {
    ...Object.fromEntries(['memory', 'disk', 'cpu'].flatMap((key) => (query.get(key) ? [[key, query.get(key)]] : []))),
    ...body,
  };
  demand(wanted, { memory: ['required', 'integer'], disk: ['required', 'integer'] });
  const listOf = (key: string) =>
    [...query.getAll(`${key}[]`), ...(Array.isArray(body[key]) ? body[key] : [])].map(String);
  const need = { memory: Number(wanted['memory']), disk: Number(wanted['disk']), cpu: Number(wanted['cpu'] ?? 0) };
  const nodes = viableNodes(
    state,
    need,
    state.dialect === 'pelican' ? { tags: listOf('tags') } : { locations: listOf('location_ids').map(Number) },
  );
  if (state.dialect === 'pelican') return ok(whole(nodes.map((row) => show.node(row, includes))));
  if (nodes.length === 0) throw noViableNode();
  const shown = (row: NodeRow) => {
    const servers = state.serversOfNode(row.id);
    const sum = (read: 'memory' | 'disk') => String(servers.reduce((total, each) => total + each[read], 0));
    return show.node(row, includes, { sum_memory: sum('memory'), sum_disk: sum('disk') });
  };
  if (!query.has('page')) return ok(whole(nodes.map(shown)));
  const page = paged(nodes, query, call.origin + call.path);
  return ok({ object: 'list', data: page.rows.map(shown), meta: page.meta });
}

function createLocation({ state, body, show, includes, origin }: Call): Answer {
  const free = unique((value) =>
    [...state.locations.values()].every((row) => row.short.toLowerCase() !== String(value).toLowerCase()),
  );
  demand(
    body,
    { short: ['required', 'string', 'between:1,60', free], long: ['sometimes', 'nullable', 'string', 'between:1,191'] },
    { short: 'Location Identifier' },
  );
  const row = createSeeder(state).addLocation({ short: String(body['short']), long: String(body['long'] ?? '') });
  return made(show.location(row, includes), `${origin}/api/application/locations/${row.id}`);
}
function removeLocation({ state, params }: Call): Answer {
  const row = rowOf(state.locations, params[0]);
  if ([...state.nodes.values()].some((node) => node.locationId === row.id)) {
    throw display('HasActiveNodesException', 'Cannot delete a location that has active nodes attached to it.');
  }
  state.locations.delete(row.id);
  return NO_CONTENT;
}
function updateLocation({ state, params, body, show, includes }: Call): Answer {
  const row = rowOf(state.locations, params[0]);
  if (typeof body['short'] === 'string') row.short = body['short'];
  if (typeof body['long'] === 'string') row.long = body['long'];
  row.updatedMs = state.now();
  return ok(show.location(row, includes));
}

export const NODE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/nodes',
    right: 'nodes',
    work: (call) => listed(call, [...call.state.nodes.values()], NODES, (row) => call.show.node(row, call.includes)),
  },
  { method: 'GET', path: '/nodes/deployable', right: 'nodes', work: deployable },
  {
    method: 'GET',
    path: '/nodes/{name}',
    right: 'nodes',
    work: ({ state, params, show, includes }) => ok(show.node(rowOf(state.nodes, params[0]), includes)),
  },
  { method: 'GET', path: '/nodes/{name}/configuration', right: 'nodes', work: configuration },
  { method: 'POST', path: '/nodes', right: 'nodes', work: createNode },
  { method: 'PATCH', path: '/nodes/{name}', right: 'nodes', work: updateNode },
  { method: 'DELETE', path: '/nodes/{name}', right: 'nodes', work: removeNode },
];
/** Pelican has none of these (8). */
export const LOCATION_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/locations',
    right: 'locations',
    work: (call) =>
      listed(call, [...call.state.locations.values()], LOCATIONS, (row) => call.show.location(row, call.includes)),
  },
  {
    method: 'GET',
    path: '/locations/{name}',
    right: 'locations',
    work: ({ state, params, show, includes }) => ok(show.location(rowOf(state.locations, params[0]), includes)),
  },
  { method: 'POST', path: '/locations', right: 'locations', work: createLocation },
  { method: 'PATCH', path: '/locations/{name}', right: 'locations', work: updateLocation },
  { method: 'DELETE', path: '/locations/{name}', right: 'locations', work: removeLocation },
];
