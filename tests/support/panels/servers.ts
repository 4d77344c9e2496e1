import { listed, made, nodeOf, NO_CONTENT, ok, rowOf, whole, type Answer, type Call, type Route } from './context.ts';
import { noViableNode, pickAllocation, viableNodes } from './deploy.ts';
import { crash, notFound, PanelError } from './errors.ts';
import { like, type Listing } from './query.ts';
import type { Body, Dialect, Json, NodeRow, ServerRow } from './rows.ts';
import { at, demand } from './rules.ts';
import { createRules, environmentOf, whole as round } from './server-rules.ts';
import { ACTION_ROUTES } from './server-actions.ts';
import { UPDATE_ROUTES } from './server-updates.ts';
import type { PanelState } from './state.ts';

function listing(dialect: Dialect): Listing<ServerRow> {
  return {
    filters: {
      uuid: like((row) => row.uuid),
      [dialect === 'pelican' ? 'uuid_short' : 'uuidShort']: like((row) => row.identifier),
      name: like((row) => row.name),
      description: like((row) => row.description),
      image: like((row) => row.image),
      external_id: like((row) => row.externalId),
    },
    sorts: { id: (row) => row.id, uuid: (row) => row.uuid },
  };
}
const strings = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);

interface Place {
  readonly node: NodeRow;
  readonly allocation: number | null;
  readonly additional: readonly number[];
}
/** Node and ports of a new server: those that are named, or what a deploy picks (5, 8). */
function placeOf(state: PanelState, body: Body): Place {
  if (body['deploy'] === undefined) {
    const allocation = state.allocations.get(Number(at(body, 'allocation.default')));
    const node = allocation && state.nodes.get(allocation.nodeId);
    if (!node) throw notFound();
    return { node, allocation: allocation.id, additional: strings(at(body, 'allocation.additional')).map(Number) };
  }
  const need = {
    memory: round(at(body, 'limits.memory')),
    disk: round(at(body, 'limits.disk')),
    cpu: round(at(body, 'limits.cpu')),
  };
  const pelican = state.dialect === 'pelican';
  const nodes = viableNodes(
    state,
    need,
    pelican
      ? { tags: strings(at(body, 'deploy.tags')) }
      : { locations: strings(at(body, 'deploy.locations')).map(Number) },
  );
  const [first] = nodes;
  if (!first) throw noViableNode();
  const ports = strings(at(body, 'deploy.port_range'));
  // Pelican gives no port at all where no range is asked for (8).
  if (pelican && ports.length === 0) return { node: first, allocation: null, additional: [] };
  const picked = pickAllocation(state, nodes, ports, at(body, 'deploy.dedicated_ip') === true);
  return { node: state.nodes.get(picked.nodeId) ?? first, allocation: picked.id, additional: [] };
}
function rowFor(state: PanelState, body: Body, place: Place, variables: Map<number, string>): ServerRow {
  const uuid = state.uuid();
  const [text, number] = [(key: string) => body[key], (path: string) => round(at(body, path))];
  const egg = state.eggs.get(Number(body['egg']));
  const threads = at(body, 'limits.threads');
  const killer = text('oom_killer');
  return {
    id: state.nextId('servers'),
    externalId: typeof text('external_id') === 'string' ? String(text('external_id')) : null,
    uuid,
    identifier: uuid.slice(0, 8),
    name: String(text('name')),
    description: String(text('description') ?? ''),
    status: 'installing',
    ownerId: Number(text('user')),
    nodeId: place.node.id,
    allocationId: place.allocation,
    eggId: Number(text('egg')),
    startup: String(text('startup') ?? egg?.startup ?? ''),
    image: String(text('docker_image') ?? Object.values(egg?.dockerImages ?? {})[0] ?? ''),
    memory: number('limits.memory'),
    swap: number('limits.swap'),
    disk: number('limits.disk'),
    io: number('limits.io'),
    cpu: number('limits.cpu'),
    threads: typeof threads === 'string' ? threads : null,
    // Absent: disabled, with both (5, 8).
    oomDisabled:
      state.dialect === 'pelican'
        ? killer !== true && killer !== 1 && killer !== '1'
        : !('oom_disabled' in body) || body['oom_disabled'] === true || body['oom_disabled'] === 1,
    databaseLimit: number('feature_limits.databases'),
    allocationLimit: number('feature_limits.allocations'),
    backupLimit: number('feature_limits.backups'),
    skipScripts: text('skip_scripts') === true,
    variables,
    installedOnce: false,
    installingSinceMs: state.now(),
    createdMs: state.now(),
    updatedMs: state.now(),
  };
}
/** Writes the row; its unique keys let one of several in (5, "races"). */
function insert(state: PanelState, row: ServerRow, place: Place): void {
  if (row.externalId !== null && state.serverNamed(row.externalId)) throw crash('UniqueConstraintViolationException');
  const ports = place.allocation === null ? [] : [place.allocation, ...place.additional];
  if (place.allocation !== null && state.allocations.get(place.allocation)?.serverId !== null)
    throw crash('DataValidationException');
  state.insertServer(row);
  for (const port of ports) if (state.allocations.get(port)?.serverId === null) state.assign(port, row.id);
}
async function create(call: Call): Promise<Answer> {
  const { state, body, daemons, show, includes, yieldToOthers } = call;
  demand(body, createRules(state, body));
  const place = placeOf(state, body);
  const variables = environmentOf(state, Number(body['egg']), body['environment']);
  await yieldToOthers();
  const row = rowFor(state, body, place, variables);
  insert(state, row, place);
  try {
    await daemons.create(place.node, row, body['start_on_completion'] === true);
  } catch (error) {
    // Pterodactyl takes the row back, and tells the machine so; Pelican only where no connection came about (5, 8).
    const stays = state.dialect === 'pelican' && error instanceof PanelError && error.code === 'RequestException';
    if (!stays) {
      await daemons.remove(place.node, row).catch(() => 0);
      state.removeServer(row.id);
    }
    throw error;
  }
  return made(show.server(row, includes), null);
}

function external({ state, params, show, includes }: Call): Answer {
  const row = state.serverNamed(params[0] ?? '');
  if (!row) throw notFound();
  return ok(show.server(row, includes));
}
/** With `force` the machine's word does not matter; any other suffix is an ordinary deletion (5). */
async function remove({ state, params, daemons }: Call): Promise<Answer> {
  const row = rowOf(state.servers, params[0]);
  try {
    await daemons.remove(nodeOf(state, row), row);
  } catch (error) {
    // Pelican deletes the row also where the machine answered with an error (8).
    const anyway = state.dialect === 'pelican' && error instanceof PanelError && error.code === 'RequestException';
    if (params[1] !== 'force' && !anyway) throw error;
  }
  state.removeServer(row.id);
  return NO_CONTENT;
}
export const SERVER_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/servers',
    right: 'servers',
    work: (call) =>
      listed(call, [...call.state.servers.values()], listing(call.state.dialect), (row) =>
        call.show.server(row, call.includes),
      ),
  },
  { method: 'GET', path: '/servers/external/{name}', right: 'servers', work: external },
  {
    method: 'GET',
    path: '/servers/{name}',
    right: 'servers',
    work: ({ state, params, show, includes }) => ok(show.server(rowOf(state.servers, params[0]), includes)),
  },
  {
    method: 'GET',
    path: '/servers/{name}/databases',
    right: 'server_databases',
    work: ({ state, params }) => (rowOf(state.servers, params[0]), ok(whole([]))),
  },
  { method: 'POST', path: '/servers', right: 'servers', work: create },
  { method: 'DELETE', path: '/servers/{name}', right: 'servers', work: remove },
  { method: 'DELETE', path: '/servers/{name}/{name}', right: 'servers', work: remove },
  ...UPDATE_ROUTES,
  ...ACTION_ROUTES,
];
