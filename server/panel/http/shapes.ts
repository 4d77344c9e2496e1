import * as z from 'zod/mini';
import type {
  PanelAllocation,
  PanelEgg,
  PanelNode,
  PanelAccountDetails,
  PanelServerAllocation,
  PanelServer,
  PanelServerState,
  PanelUsage,
} from '#server/modules/servers/panel/ports.ts';

/*
 * What is read of the panel's answers (panel contract, sections 2 to 6, 8). Fields that are not needed may be anything; what is needed and does not
 * fit makes the answer none. Ids are numbers in the panel and text here.
 */
const id = z.pipe(z.union([z.int(), z.string().check(z.minLength(1))]), z.transform(String));
const count = z.pipe(
  z.nullish(z.int()),
  z.transform((value) => value ?? 0),
);
const text = z.pipe(
  z.nullish(z.string()),
  z.transform((value) => value ?? ''),
);

const itemOf = <T extends z.ZodMiniType>(attributes: T) => z.object({ attributes });
const listOf = <T extends z.ZodMiniType>(attributes: T) => z.object({ data: z.array(itemOf(attributes)) });
/** What a key without the right gets in the place of something included. */
const nothing = z.object({ object: z.literal('null_resource') });

const allocation = z.object({
  id,
  ip: z.string(),
  alias: z.nullish(z.string()),
  port: z.int(),
  assigned: z.optional(z.boolean()),
});
const resources = z.object({ memory: z.int(), swap: z.int(), disk: z.int(), io: z.int(), cpu: z.int() });
const server = z.object({
  id,
  external_id: z.nullish(z.string()),
  identifier: z.string(),
  name: z.string(),
  description: text,
  status: z.nullish(z.string()),
  suspended: z.optional(z.boolean()),
  limits: resources,
  feature_limits: z.object({ databases: count, allocations: count, backups: count }),
  user: id,
  node: id,
  allocation: z.nullish(id),
  egg: id,
  container: z.optional(z.object({ environment: z.optional(z.unknown()) })),
  relationships: z.optional(
    z.object({
      allocations: z.optional(z.union([listOf(allocation), nothing])),
      node: z.optional(z.union([itemOf(z.object({ fqdn: z.string() })), nothing])),
    }),
  ),
});
type ServerShape = z.infer<typeof server>;

/** A server with what only the adapter needs: the default port and the limits that the product does not have. */
export interface FullServer {
  readonly server: PanelServer;
  readonly defaultPort: string | null;
  readonly swap: number;
  readonly io: number;
}

/**
 * One field for all of it, so states replace each other (panel contract, section 5). What is none of these is a word on
 * the container (Pelican).
 */
const STATES: Readonly<Record<string, PanelServerState>> = {
  installing: 'installing',
  install_failed: 'install_failed',
  reinstall_failed: 'reinstall_failed',
  restoring_backup: 'restoring',
};

/** Where players connect: the alias, or the address; where that is every address of the machine, the machine's name. */
function addressOf({ ip, alias, port }: z.infer<typeof allocation>, fqdn: string | null): string {
  const host = alias || (ip === '0.0.0.0' || ip === '::' ? (fqdn ?? ip) : ip);
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
function portsOf({ relationships, allocation: first }: ServerShape): PanelServerAllocation[] | null {
  const all = relationships?.allocations;
  if (!all || !('data' in all)) return null;
  const node = relationships?.node;
  const fqdn = node && 'attributes' in node ? node.attributes.fqdn : null;
  const ports = all.data.map(({ attributes }) => ({ id: attributes.id, address: addressOf(attributes, fqdn) }));
  return ports.toSorted((a, b) => Number(b.id === first) - Number(a.id === first));
}
/** What the panel adds to the egg's variables by itself (panel contract, section 5). */
const ADDED = /^(STARTUP|P_SERVER_(LOCATION|UUID|ALLOCATION_LIMIT))$/;
/** The egg's variables as texts; an empty list stands for none (PHP). */
function environmentOf(environment: unknown): Record<string, string> {
  const pairs =
    typeof environment === 'object' && environment !== null && !Array.isArray(environment)
      ? Object.entries(environment)
      : [];
  const own = pairs.filter(([name, value]) => !ADDED.test(name) && value !== null && typeof value !== 'object');
  return Object.fromEntries(
    own.map(([name, value]) => [name, typeof value === 'boolean' ? String(Number(value)) : String(value)]),
  );
}
function fullServer(shape: ServerShape): FullServer {
  const ports = portsOf(shape);
  const { memory, disk, cpu, swap, io } = shape.limits;
  const { databases, backups, allocations } = shape.feature_limits;
  const first = shape.allocation ?? null;
  return {
    server: {
      panelId: shape.id,
      externalId: shape.external_id ?? null,
      identifier: shape.identifier,
      userId: shape.user,
      node: shape.node,
      egg: shape.egg,
      name: shape.name,
      description: shape.description,
      state: STATES[shape.status ?? ''] ?? 'ready',
      suspended: shape.suspended ?? shape.status === 'suspended',
      resources: { memory, disk, cpu, databases, backups, ports: ports?.length ?? allocations },
      address: ports?.find((port) => port.id === first)?.address ?? null,
      allocations: ports,
      portLimit: allocations,
      ...(shape.container ? { environment: environmentOf(shape.container.environment) } : {}),
      usage: { databases: null, backups: null, disk: null },
    },
    defaultPort: first,
    swap,
    io,
  };
}
export function readServer(body: unknown): FullServer | undefined {
  const parsed = itemOf(server).safeParse(body);
  return parsed.success ? fullServer(parsed.data.attributes) : undefined;
}

const pagination = z.object({
  meta: z.object({ pagination: z.object({ current_page: z.int(), total_pages: z.int() }) }),
});
export interface Page<T> {
  readonly items: readonly T[];
  readonly totalPages: number;
}
/** A page of a list. `links.next` loses the query, so pages are counted (panel contract, section 2). */
function readPage<T>(shape: z.ZodMiniType<{ data: { attributes: T }[] }>, body: unknown): Page<T> | undefined {
  const list = shape.safeParse(body);
  const page = pagination.safeParse(body);
  return list.success && page.success
    ? { items: list.data.data.map((item) => item.attributes), totalPages: page.data.meta.pagination.total_pages }
    : undefined;
}
export function readServers(body: unknown): Page<PanelServer> | undefined {
  const page = readPage(listOf(server), body);
  return page && { items: page.items.map((shape) => fullServer(shape).server), totalPages: page.totalPages };
}

const user = z.object({ id, external_id: z.nullish(z.string()) });
/** The id of an account, and ours in it. */
export function readUser(body: unknown): { readonly id: string; readonly externalId: string | null } | undefined {
  const parsed = itemOf(user).safeParse(body);
  return parsed.success
    ? { id: parsed.data.attributes.id, externalId: parsed.data.attributes.external_id ?? null }
    : undefined;
}

const accountDetails = z.object({
  id,
  external_id: z.nullish(z.string()),
  email: z.string(),
  username: z.string(),
  root_admin: z.optional(z.boolean()),
});
type AccountDetailsShape = z.infer<typeof accountDetails>;
const toAccountDetails = (row: AccountDetailsShape): PanelAccountDetails => ({
  id: row.id,
  externalId: row.external_id ?? null,
  email: row.email,
  username: row.username,
  admin: row.root_admin !== false,
});
/** An account with what tells whose it is. */
export function readAccountDetails(body: unknown): PanelAccountDetails | undefined {
  const parsed = itemOf(accountDetails).safeParse(body);
  return parsed.success ? toAccountDetails(parsed.data.attributes) : undefined;
}
/** A page of accounts. */
export function readAccountsPage(body: unknown): Page<PanelAccountDetails> | undefined {
  const page = readPage(listOf(accountDetails), body);
  return page && { items: page.items.map(toAccountDetails), totalPages: page.totalPages };
}

/** The id of the first of a list; null of an empty one. */
export function readFirstId(body: unknown): string | null | undefined {
  const list = listOf(z.object({ id })).safeParse(body);
  return list.success ? (list.data.data[0]?.attributes.id ?? null) : undefined;
}

const location = z.object({ id, short: z.string(), long: text });
export function readLocations(body: unknown): Page<{ id: string; name: string; description: string }> | undefined {
  const page = readPage(listOf(location), body);
  return (
    page && {
      items: page.items.map(({ id: ref, short, long }) => ({ id: ref, name: short, description: long })),
      totalPages: page.totalPages,
    }
  );
}

const node = z.object({
  id,
  name: z.string(),
  fqdn: z.string(),
  location_id: z.nullish(id),
  tags: z.nullish(z.array(z.string())),
  public: z.boolean(),
  maintenance_mode: z.boolean(),
  memory: z.int(),
  disk: z.int(),
  memory_overallocate: z.int(),
  disk_overallocate: z.int(),
  allocated_resources: z.optional(z.object({ memory: count, disk: count })),
});
export function readNodes(body: unknown): Page<PanelNode> | undefined {
  const page = readPage(listOf(node), body);
  const items = page?.items.map((each) => ({
    id: each.id,
    name: each.name,
    fqdn: each.fqdn,
    location: each.location_id ?? null,
    tags: each.tags ?? [],
    public: each.public,
    maintenance: each.maintenance_mode,
    memory: each.memory,
    disk: each.disk,
    memoryOverallocate: each.memory_overallocate,
    diskOverallocate: each.disk_overallocate,
    memoryUsed: each.allocated_resources?.memory ?? 0,
    diskUsed: each.allocated_resources?.disk ?? 0,
  }));
  return page && items && { items, totalPages: page.totalPages };
}
/** In: the node they are of. */
export function readAllocations(ofNode: string): (body: unknown) => Page<PanelAllocation> | undefined {
  return (body) => {
    const page = readPage(listOf(allocation), body);
    const items = page?.items.map(({ id: ref, ip, alias, port, assigned }) => ({
      id: ref,
      node: ofNode,
      ip,
      alias: alias || null,
      port,
      assigned: assigned ?? true,
    }));
    return page && items && { items, totalPages: page.totalPages };
  };
}

const labels = z.record(z.string(), z.string());
const egg = z.object({
  id,
  uuid: z.string(),
  name: z.string(),
  description: text,
  // An empty object of PHP is an empty list.
  docker_images: z.nullish(z.union([labels, z.array(z.string())])),
  docker_image: z.nullish(z.string()),
  startup: z.nullish(z.string()),
  startup_commands: z.nullish(z.union([labels, z.array(z.string())])),
  tags: z.nullish(z.array(z.string())),
  relationships: z.object({
    variables: listOf(
      z.object({
        env_variable: z.string(),
        name: z.string(),
        description: text,
        default_value: z.pipe(
          z.nullish(z.union([z.string(), z.number(), z.boolean()])),
          z.transform((value) => (value === true ? '1' : value === false ? '0' : String(value ?? ''))),
        ),
        rules: z.pipe(
          z.nullish(z.union([z.string(), z.array(z.string())])),
          z.transform((value) => (Array.isArray(value) ? value.join('|') : (value ?? ''))),
        ),
        user_viewable: z.boolean(),
        user_editable: z.boolean(),
      }),
    ),
  }),
});
function fullEgg(shape: z.infer<typeof egg>, nest: PanelEgg['nest']): PanelEgg {
  const images = Object.entries(shape.docker_images ?? {}).map(([label, image]) => ({ label, image }));
  const only = shape.docker_image ? [{ label: shape.docker_image, image: shape.docker_image }] : [];
  return {
    id: shape.id,
    nest,
    uuid: shape.uuid,
    name: shape.name,
    description: shape.description,
    dockerImages: images.length > 0 ? images : only,
    startup: Object.values(shape.startup_commands ?? {})[0] ?? shape.startup ?? '',
    variables: shape.relationships.variables.data.map(({ attributes: each }) => ({
      env: each.env_variable,
      name: each.name,
      description: each.description,
      defaultValue: each.default_value,
      rules: each.rules,
      viewable: each.user_viewable,
      editable: each.user_editable,
    })),
  };
}
const nest = z.object({ id, name: z.string(), relationships: z.object({ eggs: z.union([listOf(egg), nothing]) }) });
/** Eggs by nest (Pterodactyl): `/nests?include=eggs.variables`. Null: the key may not read them. */
export function readNests(
  body: unknown,
): Page<{ readonly id: string; readonly eggs: readonly PanelEgg[] | null }> | undefined {
  const page = readPage(listOf(nest), body);
  const items = page?.items.map(({ id: ref, name, relationships }) => ({
    id: ref,
    eggs:
      'data' in relationships.eggs
        ? relationships.eggs.data.map(({ attributes }) => fullEgg(attributes, { id: ref, name }))
        : null,
  }));
  return page && items && { items, totalPages: page.totalPages };
}
/** All eggs at once, without pages (Pelican): `/eggs?include=variables`. The first tag stands in for the nest. */
export function readEggs(body: unknown): PanelEgg[] | undefined {
  const list = listOf(egg).safeParse(body);
  return list.success
    ? list.data.data.map(({ attributes }) =>
        fullEgg(attributes, { id: attributes.tags?.[0] ?? '', name: attributes.tags?.[0] ?? '' }),
      )
    : undefined;
}

const amount = z.pipe(
  z.nullish(z.number()),
  z.transform((value) => Math.max(0, value ?? 0)),
);
const stats = z.object({
  current_state: z.string(),
  resources: z.optional(z.object({ memory_bytes: amount, cpu_absolute: amount, disk_bytes: amount, uptime: amount })),
});
const POWERS = ['offline', 'starting', 'running', 'stopping'] as const;
/** Nothing is known of what it uses: its machine does not answer the panel, or does not know it. */
export const NO_USAGE: PanelUsage = { power: 'unknown', memory: 0, cpu: 0, disk: 0, uptime: 0 };
export function readUsage(body: unknown): PanelUsage | undefined {
  const parsed = itemOf(stats).safeParse(body);
  if (!parsed.success) return undefined;
  const { current_state: state, resources: used } = parsed.data.attributes;
  const power = POWERS.find((each) => each === state) ?? 'unknown';
  return {
    power,
    memory: used?.memory_bytes ?? 0,
    cpu: used?.cpu_absolute ?? 0,
    disk: used?.disk_bytes ?? 0,
    uptime: used?.uptime ?? 0,
  };
}

/** Whether the owner of a client key is an administrator; true where the panel does not say. */
export function readAccount(body: unknown): boolean | undefined {
  const parsed = itemOf(z.object({ admin: z.nullish(z.boolean()) })).safeParse(body);
  return parsed.success ? parsed.data.attributes.admin !== false : undefined;
}
