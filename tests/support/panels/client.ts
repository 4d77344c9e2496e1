import { nodeOf, NO_CONTENT, ok, rowOf, type Answer, type Call, type Handler, type Route } from './context.ts';
import { conflict, noRoute, PanelError } from './errors.ts';
import { like, paged, selected, type Listing } from './query.ts';
import type { EggRow, NodeRow, ServerRow, Usage } from './rows.ts';
import { demand, split } from './rules.ts';
import type { PanelState } from './state.ts';

/** The panel asks the machine again after this (6). */
const CACHE_MS = 20_000;
const NO_USAGE: Usage = { power: 'missing', memory: 0, cpu: 0, disk: 0, uptime: 0 };
const isAdmin = ({ state, key }: Call) => state.users.get(key.userId)?.rootAdmin === true;
const owns = ({ key }: Call, row: ServerRow) => row.ownerId === key.userId;

function ports(state: PanelState, row: ServerRow) {
  const data = state.allocationsOfServer(row.id).map((each) => ({
    object: 'allocation',
    attributes: {
      id: each.id,
      ip: each.ip,
      ip_alias: each.alias,
      port: each.port,
      notes: each.notes,
      is_default: each.id === row.allocationId,
    },
  }));
  return { object: 'list', data };
}
/** Only what users may see. */
function variables(state: PanelState, row: ServerRow, egg: EggRow) {
  const data = egg.variables
    .filter((each) => each.viewable)
    .map((each) => ({
      object: 'egg_variable',
      attributes: {
        name: each.name,
        description: each.description,
        env_variable: each.env,
        default_value: each.defaultValue,
        server_value: row.variables.get(each.id) ?? each.defaultValue,
        is_editable: each.editable,
        rules: state.dialect === 'pelican' ? split(each.rules, true) : each.rules,
      },
    }));
  return { object: 'list', data };
}
function invocation(row: ServerRow, egg: EggRow): string {
  return egg.variables.reduce(
    (text, each) => text.replaceAll(`{{${each.env}}}`, row.variables.get(each.id) ?? ''),
    row.startup,
  );
}
function shown(call: Call, row: ServerRow) {
  const { state } = call;
  const node = nodeOf(state, row);
  const egg = rowOf(state.eggs, String(row.eggId));
  return {
    object: 'server',
    attributes: {
      server_owner: owns(call, row),
      identifier: row.identifier,
      internal_id: row.id,
      uuid: row.uuid,
      name: row.name,
      node: node.name,
      is_node_under_maintenance: node.maintenance,
      sftp_details: { ip: node.fqdn, port: node.daemonSftp },
      description: row.description,
      limits: {
        memory: row.memory,
        swap: row.swap,
        disk: row.disk,
        io: row.io,
        cpu: row.cpu,
        threads: row.threads,
        oom_disabled: row.oomDisabled,
      },
      invocation: invocation(row, egg),
      docker_image: row.image,
      egg_features: egg.features,
      feature_limits: { databases: row.databaseLimit, allocations: row.allocationLimit, backups: row.backupLimit },
      status: row.status,
      is_suspended: row.status === 'suspended',
      is_installing: row.status === 'installing' || row.status === 'install_failed',
      is_transferring: false,
      relationships: { allocations: ports(state, row), variables: variables(state, row, egg) },
    },
  };
}

/** The server a path names, where the key's owner may see it (an admin sees all). 404 also for numeric ids. */
function seen(call: Call): ServerRow {
  const row = call.state.serverCalled(call.params[0] ?? '');
  if (!row)
    throw new PanelError(404, 'NotFoundHttpException', 'The requested resource could not be found on the server.');
  if (!owns(call, row) && !isAdmin(call))
    throw new PanelError(404, 'NotFoundHttpException', 'The requested resource does not exist on this server.');
  return row;
}
/** A server that can be used now; 409 otherwise (6). */
function usable(call: Call): { row: ServerRow; node: NodeRow } {
  const row = seen(call);
  const node = nodeOf(call.state, row);
  if (row.status === 'suspended')
    throw conflict('This server is currently suspended and the functionality requested is unavailable.');
  if (node.maintenance)
    throw conflict(
      'The node of this server is currently under maintenance and the functionality requested is unavailable.',
    );
  if (row.status === 'installing' || row.status === 'install_failed')
    throw conflict('This server has not yet completed its installation process, please try again later.');
  if (row.status === 'restoring_backup')
    throw conflict('This server is currently restoring from a backup, please try again later.');
  return { row, node };
}

/** `filter[*]`: part of the name, start of the uuid, identifier, external id, or an address (6). */
function listing(state: PanelState): Listing<ServerRow> {
  return {
    filters: {
      uuid: like((row) => row.uuid),
      name: like((row) => row.name),
      description: like((row) => row.description),
      external_id: like((row) => row.externalId),
      '*': (row, wanted) => {
        const text = wanted.toLowerCase();
        const addresses = state
          .allocationsOfServer(row.id)
          .flatMap((each) => [each.ip, `${each.ip}:${each.port}`, `:${each.port}`]);
        return (
          row.name.toLowerCase().includes(text) ||
          row.uuid.startsWith(text) ||
          row.identifier === text ||
          row.externalId === wanted ||
          addresses.includes(text)
        );
      },
    },
  };
}
/** What the key's owner has; with `type` what administrators see (6). */
function servers(call: Call): Answer {
  const { state, query } = call;
  const type = query.get('type');
  const all = [...state.servers.values()];
  const ofAdmin = isAdmin(call) ? all.filter((row) => type === 'admin-all' || !owns(call, row)) : [];
  const rows = type === 'admin' || type === 'admin-all' ? ofAdmin : all.filter((row) => owns(call, row));
  const page = paged(selected(rows, query, listing(state)), query, call.origin + call.path, { most: 100, keep: true });
  return ok({ object: 'list', data: page.rows.map((row) => shown(call, row)), meta: page.meta });
}
function server(call: Call): Answer {
  const row = seen(call);
  const more = owns(call, row) ? [] : ['admin.websocket.errors', 'admin.websocket.install', 'admin.websocket.transfer'];
  return ok({ ...shown(call, row), meta: { is_server_owner: owns(call, row), user_permissions: ['*', ...more] } });
}
async function power(call: Call): Promise<Answer> {
  const { row, node } = usable(call);
  demand(call.body, { signal: ['required', 'string', 'in:start,stop,restart,kill'] });
  await call.daemons.power(node, row, String(call.body['signal']));
  return NO_CONTENT;
}
async function command(call: Call): Promise<Answer> {
  const { row, node } = usable(call);
  demand(call.body, { command: ['required', 'string', 'min:1'] });
  await call.daemons.command(node, row, String(call.body['command']));
  return NO_CONTENT;
}
function startup(call: Call): Answer {
  const { row } = usable(call);
  const egg = rowOf(call.state.eggs, String(row.eggId));
  return ok({
    ...variables(call.state, row, egg),
    meta: { startup_command: invocation(row, egg), docker_images: egg.dockerImages, raw_startup_command: row.startup },
  });
}
function websocket(call: Call): Answer {
  const { row, node } = usable(call);
  return ok({
    data: {
      token: 'jwt',
      socket: `${node.scheme === 'https' ? 'wss' : 'ws'}://${node.fqdn}:${node.daemonListen}/api/servers/${row.uuid}/ws`,
    },
  });
}
function account({ state, key, path }: Call): Answer {
  const user = state.users.get(key.userId);
  if (!user) throw noRoute(path);
  const names = state.dialect === 'pelican' ? {} : { first_name: user.firstName, last_name: user.lastName };
  return ok({
    object: 'user',
    attributes: {
      id: user.id,
      admin: user.rootAdmin,
      username: user.username,
      email: user.email,
      ...names,
      language: user.language,
    },
  });
}
/** By id of the server. */
export type UsageCache = Map<number, { readonly atMs: number; readonly usage: Usage }>;
/** Cached for 20 s; a dead machine is 504, and the state `missing` with Pelican (6, 8). */
function createResources(cache: UsageCache): Handler {
  return async (call) => {
    const { row, node } = usable(call);
    const { state } = call;
    let known = cache.get(row.id);
    if (!known || state.now() >= known.atMs + CACHE_MS) {
      const usage = await call.daemons.usage(node, row).catch((error: unknown) => {
        if (state.dialect === 'pterodactyl') throw error;
        return NO_USAGE;
      });
      known = { atMs: state.now(), usage };
      cache.set(row.id, known);
    }
    const { power: current, memory, cpu, disk, uptime } = known.usage;
    const [received, sent] = current === 'running' ? [694_220, 337_090] : [0, 0];
    const resources = {
      memory_bytes: memory,
      cpu_absolute: cpu,
      disk_bytes: disk,
      network_rx_bytes: received,
      network_tx_bytes: sent,
      uptime,
    };
    return ok({ object: 'stats', attributes: { current_state: current, is_suspended: false, resources } });
  };
}

/** The client API (6): it names servers by identifier or uuid, and keeps to what the key's owner may see. */
export function clientRoutes(cache: UsageCache): readonly Route[] {
  const route = (method: Route['method'], path: string, work: Handler): Route => ({ method, path, right: '', work });
  return [
    route('GET', '', servers),
    route('GET', '/account', account),
    route('GET', '/servers/{name}', server),
    route('GET', '/servers/{name}/resources', createResources(cache)),
    route('POST', '/servers/{name}/power', power),
    route('POST', '/servers/{name}/command', command),
    route('GET', '/servers/{name}/startup', startup),
    route('GET', '/servers/{name}/websocket', websocket),
    route('GET', '/servers/{name}/network/allocations', (call) => ok(ports(call.state, usable(call).row))),
  ];
}
