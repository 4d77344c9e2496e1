import { crash } from './errors.ts';
import type { Includes } from './query.ts';
import type { AllocationRow, EggRow, LocationRow, NestRow, NodeRow, ServerRow, UserRow, VariableRow } from './rows.ts';
import { split } from './rules.ts';
import type { PanelState } from './state.ts';

export interface Item {
  readonly object: string;
  readonly attributes: Record<string, unknown> | null;
}
export type Shown = Item | { readonly object: 'list'; readonly data: readonly Item[] };
/** Whether the key may read a resource, by the names of Pterodactyl (`servers`, `users` …). */
export type MayRead = (resource: string) => boolean;
/** Includes of a resource: the right each needs, and what it shows. */
type Parts<T> = Readonly<Record<string, readonly [resource: string, show: (row: T, inner: Includes) => Shown | null]>>;

const NOTHING: Item = { object: 'null_resource', attributes: null };
const list = (data: readonly Item[]): Shown => ({ object: 'list', data });
const EMPTY = (): Shown => list([]);
/** `2026-11-21T07:51:35+00:00`; rows that are shown raw have `.000000Z` (2). */
const time = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');
const rawTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, '.000000Z');

/** What showing a row needs: the tables, and what the key may read. */
interface Eye {
  readonly state: PanelState;
  readonly may: MayRead;
  readonly pelican: boolean;
  /** What the servers of a node were given, once for each request: a page may show the same node two hundred times. */
  readonly sums: Map<number, Record<string, number>>;
}
type Show<T> = (eye: Eye, row: T, includes: Includes) => Item;

/** An item with its includes. A missing right to one is a null_resource, an unknown one is ignored (1, 2). */
function item<T>(
  eye: Eye,
  object: string,
  row: T,
  attributes: Record<string, unknown>,
  includes: Includes,
  parts: Parts<T>,
): Item {
  const relationships: Record<string, unknown> = {};
  for (const [name, inner] of includes) {
    const part = parts[name];
    if (!part) continue;
    const [resource, show] = part;
    relationships[name] = eye.may(resource) ? (show(row, inner) ?? NOTHING) : NOTHING;
  }
  return { object, attributes: Object.keys(relationships).length > 0 ? { ...attributes, relationships } : attributes };
}
const times = (row: { createdMs: number; updatedMs: number }) => ({
  updated_at: time(row.updatedMs),
  created_at: time(row.createdMs),
});
const each = <T>(eye: Eye, rows: readonly T[], show: Show<T>, inner: Includes): Shown =>
  list(rows.map((row) => show(eye, row, inner)));
const one = <T>(eye: Eye, row: T | undefined | null, show: Show<T>, inner: Includes): Shown | null =>
  row ? show(eye, row, inner) : null;
const serversWhere = (eye: Eye, fits: (row: ServerRow) => boolean) => [...eye.state.servers.values()].filter(fits);
/** Parts that Pelican has not (8). */
const unlessPelican = <T>(eye: Eye, parts: Parts<T>): Parts<T> => (eye.pelican ? {} : parts);

function user(eye: Eye, row: UserRow, includes: Includes): Item {
  const names = eye.pelican
    ? { is_managed_externally: false, timezone: 'UTC', '2fa_enabled': false }
    : { first_name: row.firstName, last_name: row.lastName };
  const attributes = {
    id: row.id,
    external_id: row.externalId,
    uuid: row.uuid,
    username: row.username,
    email: row.email,
    ...names,
    language: row.language,
    root_admin: row.rootAdmin,
    '2fa': false,
    created_at: time(row.createdMs),
    updated_at: time(row.updatedMs),
  };
  return item(eye, 'user', row, attributes, includes, {
    servers: [
      'servers',
      (own, inner) =>
        each(
          eye,
          serversWhere(eye, (it) => it.ownerId === own.id),
          server,
          inner,
        ),
    ],
    ...(eye.pelican ? { roles: ['roles', EMPTY] as const } : {}),
  });
}
function location(eye: Eye, row: LocationRow, includes: Includes): Item {
  const nodes = [...eye.state.nodes.values()].filter((it) => it.locationId === row.id);
  return item(eye, 'location', row, { id: row.id, short: row.short, long: row.long, ...times(row) }, includes, {
    nodes: ['nodes', (_own, inner) => each(eye, nodes, node, inner)],
    servers: [
      'servers',
      (_own, inner) =>
        each(
          eye,
          nodes.flatMap((it) => eye.state.serversOfNode(it.id)),
          server,
          inner,
        ),
    ],
  });
}
function nodeAttributes(eye: Eye, row: NodeRow, extra: Record<string, unknown>): Record<string, unknown> {
  const own = eye.pelican
    ? {
        cpu: row.cpu,
        cpu_overallocate: row.cpuOverallocate,
        tags: row.tags,
        daemon_connect: row.daemonListen,
        daemon_sftp_alias: null,
      }
    : { location_id: row.locationId };
  return {
    id: row.id,
    uuid: row.uuid,
    public: row.public,
    name: row.name,
    description: row.description,
    ...own,
    fqdn: row.fqdn,
    scheme: row.scheme,
    behind_proxy: row.behindProxy,
    maintenance_mode: row.maintenance,
    memory: row.memory,
    memory_overallocate: row.memoryOverallocate,
    disk: row.disk,
    disk_overallocate: row.diskOverallocate,
    upload_size: row.uploadSize,
    daemon_listen: row.daemonListen,
    daemon_sftp: row.daemonSftp,
    daemon_base: row.daemonBase,
    ...times(row),
    ...extra,
    allocated_resources: givenOf(eye, row.id),
  };
}
function givenOf({ state, pelican, sums }: Eye, node: number): Record<string, number> {
  const known = sums.get(node);
  if (known) return known;
  const servers = state.serversOfNode(node);
  const sum = (read: (row: ServerRow) => number) => servers.reduce((total, it) => total + read(it), 0);
  const made = {
    memory: sum((it) => it.memory),
    disk: sum((it) => it.disk),
    ...(pelican ? { cpu: sum((it) => it.cpu) } : {}),
  };
  sums.set(node, made);
  return made;
}
/** `extra`: attributes that only some answers have (4). */
function node(eye: Eye, row: NodeRow, includes: Includes, extra: Record<string, unknown> = {}): Item {
  return item(eye, 'node', row, nodeAttributes(eye, row, extra), includes, {
    allocations: ['allocations', (own, inner) => each(eye, eye.state.allocationsOfNode(own.id), allocation, inner)],
    servers: ['servers', (own, inner) => each(eye, eye.state.serversOfNode(own.id), server, inner)],
    ...unlessPelican<NodeRow>(eye, {
      location: ['locations', (own, inner) => one(eye, eye.state.locations.get(own.locationId ?? 0), location, inner)],
    }),
  });
}
function allocation(eye: Eye, row: AllocationRow, includes: Includes): Item {
  const attributes = {
    id: row.id,
    ip: row.ip,
    alias: row.alias,
    port: row.port,
    notes: row.notes,
    assigned: row.serverId !== null,
  };
  return item(eye, 'allocation', row, attributes, includes, {
    node: ['nodes', (own, inner) => one(eye, eye.state.nodes.get(own.nodeId), node, inner)],
    server: ['servers', (own, inner) => one(eye, eye.state.servers.get(own.serverId ?? 0), server, inner)],
  });
}
function nest(eye: Eye, row: NestRow, includes: Includes): Item {
  const attributes = {
    id: row.id,
    uuid: row.uuid,
    author: row.author,
    name: row.name,
    description: row.description,
    created_at: time(row.createdMs),
    updated_at: time(row.updatedMs),
  };
  const eggs = [...eye.state.eggs.values()].filter((it) => it.nestId === row.id);
  return item(eye, 'nest', row, attributes, includes, {
    eggs: ['eggs', (_own, inner) => each(eye, eggs, egg, inner)],
    servers: [
      'servers',
      (_own, inner) =>
        each(
          eye,
          serversWhere(eye, (it) => eggs.some((own) => own.id === it.eggId)),
          server,
          inner,
        ),
    ],
  });
}
function variable(eye: Eye, row: VariableRow, eggId: number, more: Record<string, unknown> = {}): Item {
  const attributes = {
    id: row.id,
    egg_id: eggId,
    name: row.name,
    description: row.description,
    env_variable: row.env,
    default_value: row.defaultValue,
    user_viewable: row.viewable,
    user_editable: row.editable,
    // Pelican keeps the rules as a list, and its rows have one more column.
    ...(eye.pelican ? { sort: null, rules: split(row.rules, true) } : { rules: row.rules }),
    created_at: rawTime(row.createdMs),
    updated_at: rawTime(row.updatedMs),
    ...more,
  };
  return { object: 'server_value' in more ? 'server_variable' : 'egg_variable', attributes };
}
function egg(eye: Eye, row: EggRow, includes: Includes): Item {
  const first = Object.values(row.dockerImages)[0] ?? '';
  const own = eye.pelican
    ? { icon: null, features: row.features, tags: row.tags, startup_commands: { Default: row.startup } }
    : { nest: row.nestId };
  const attributes = {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    ...own,
    author: row.author,
    description: row.description,
    docker_image: first,
    docker_images: row.dockerImages,
    config: row.config,
    startup: row.startup,
    script: row.script,
    created_at: time(row.createdMs),
    updated_at: time(row.updatedMs),
  };
  return item(eye, 'egg', row, attributes, includes, {
    servers: [
      'servers',
      (it, inner) =>
        each(
          eye,
          serversWhere(eye, (other) => other.eggId === it.id),
          server,
          inner,
        ),
    ],
    config: ['eggs', () => null],
    script: ['eggs', () => null],
    variables: ['eggs', (it) => list(it.variables.map((each_) => variable(eye, each_, it.id)))],
    ...unlessPelican<EggRow>(eye, {
      nest: ['nests', (it, inner) => one(eye, eye.state.nests.get(it.nestId), nest, inner)],
    }),
  });
}
/** The egg's variables as text, and what the panel adds (5, 8). */
function environment({ state, pelican }: Eye, row: ServerRow): Record<string, unknown> {
  const values = Object.fromEntries(
    (state.eggs.get(row.eggId)?.variables ?? []).map((it) => [it.env, row.variables.get(it.id) ?? it.defaultValue]),
  );
  if (pelican) return { ...values, STARTUP: row.startup, P_SERVER_UUID: row.uuid };
  const place = state.locations.get(state.nodes.get(row.nodeId)?.locationId ?? 0)?.short ?? '';
  return {
    ...values,
    STARTUP: row.startup,
    P_SERVER_LOCATION: place,
    P_SERVER_UUID: row.uuid,
    P_SERVER_ALLOCATION_LIMIT: row.allocationLimit,
  };
}
function serverAttributes(eye: Eye, row: ServerRow): Record<string, unknown> {
  const { pelican, state } = eye;
  const installed = row.status === 'installing' || row.status === 'install_failed' ? 0 : 1;
  return {
    id: row.id,
    external_id: row.externalId,
    uuid: row.uuid,
    identifier: row.identifier,
    name: row.name,
    description: row.description,
    status: row.status,
    suspended: row.status === 'suspended',
    limits: {
      memory: row.memory,
      swap: row.swap,
      disk: row.disk,
      io: row.io,
      cpu: row.cpu,
      threads: row.threads,
      oom_disabled: row.oomDisabled,
      ...(pelican ? { oom_killer: !row.oomDisabled } : {}),
    },
    feature_limits: { databases: row.databaseLimit, allocations: row.allocationLimit, backups: row.backupLimit },
    user: row.ownerId,
    node: row.nodeId,
    allocation: row.allocationId,
    ...(pelican ? {} : { nest: state.eggs.get(row.eggId)?.nestId ?? null }),
    egg: row.eggId,
    container: { startup_command: row.startup, image: row.image, installed, environment: environment(eye, row) },
    ...times(row),
  };
}
function server(eye: Eye, row: ServerRow, includes: Includes): Item {
  const { state } = eye;
  // It is on the list of what can be included, and breaks (2).
  if (includes.has('transfer')) throw crash('TypeError');
  const eggRow = state.eggs.get(row.eggId);
  return item(eye, 'server', row, serverAttributes(eye, row), includes, {
    allocations: ['allocations', (own, inner) => each(eye, state.allocationsOfServer(own.id), allocation, inner)],
    user: ['users', (own, inner) => one(eye, state.users.get(own.ownerId), user, inner)],
    subusers: ['users', EMPTY],
    egg: ['eggs', (_own, inner) => one(eye, eggRow, egg, inner)],
    variables: [
      'servers',
      (own) =>
        list(
          (eggRow?.variables ?? []).map((it) =>
            variable(eye, it, own.eggId, { server_value: own.variables.get(it.id) ?? null }),
          ),
        ),
    ],
    node: ['nodes', (own, inner) => one(eye, state.nodes.get(own.nodeId), node, inner)],
    databases: ['server_databases', EMPTY],
    ...unlessPelican<ServerRow>(eye, {
      location: [
        'locations',
        (own, inner) => one(eye, state.locations.get(state.nodes.get(own.nodeId)?.locationId ?? 0), location, inner),
      ],
      nest: ['nests', (_own, inner) => one(eye, state.nests.get(eggRow?.nestId ?? 0), nest, inner)],
    }),
  });
}

/** Shows rows as the application API does to a key. */
export function createPresenter(state: PanelState, may: MayRead) {
  const eye: Eye = { state, may, pelican: state.dialect === 'pelican', sums: new Map() };
  return {
    user: (row: UserRow, includes: Includes) => user(eye, row, includes),
    location: (row: LocationRow, includes: Includes) => location(eye, row, includes),
    node: (row: NodeRow, includes: Includes, extra: Record<string, unknown> = {}) => node(eye, row, includes, extra),
    allocation: (row: AllocationRow, includes: Includes) => allocation(eye, row, includes),
    nest: (row: NestRow, includes: Includes) => nest(eye, row, includes),
    egg: (row: EggRow, includes: Includes) => egg(eye, row, includes),
    server: (row: ServerRow, includes: Includes) => server(eye, row, includes),
  };
}
export type Presenter = ReturnType<typeof createPresenter>;
