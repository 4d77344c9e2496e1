import { seeded, type Random } from '../random.ts';
import type {
  AllocationRow,
  DaemonCallLog,
  Dialect,
  EggRow,
  KeyRow,
  LocationRow,
  NestRow,
  NodeRow,
  PanelCallLog,
  ServerRow,
  Usage,
  UserRow,
} from './rows.ts';

type Open<T> = { -readonly [K in keyof T]: T[K] };

/** What the panel's database holds. Read it freely; what has an index is changed by the functions. */
export interface PanelState {
  readonly dialect: Dialect;
  readonly random: Random;
  readonly users: Map<number, UserRow>;
  readonly locations: Map<number, LocationRow>;
  readonly nodes: Map<number, NodeRow>;
  readonly allocations: Map<number, AllocationRow>;
  readonly nests: Map<number, NestRow>;
  readonly eggs: Map<number, EggRow>;
  readonly servers: Map<number, ServerRow>;
  readonly keys: Map<string, KeyRow>;
  /** By id of the server; absent: offline. */
  readonly usage: Map<number, Usage>;
  /** Uuids of servers a daemon knows; take one out and its machine answers 404. */
  readonly onMachine: Set<string>;
  readonly calls: PanelCallLog[];
  readonly daemonCalls: DaemonCallLog[];
  /** The next id of a table: counts up for ever, also for rows that were taken back. */
  nextId(table: string): number;
  uuid(): string;
  now(): number;
  insertServer(row: ServerRow): void;
  removeServer(id: number): void;
  nameServer(id: number, externalId: string | null): void;
  /** The server with an external id, whatever the case of its letters (2). */
  serverNamed(externalId: string): ServerRow | null;
  /** By uuid or the first eight of it (6). */
  serverCalled(name: string): ServerRow | null;
  insertAllocation(row: AllocationRow): void;
  removeAllocation(id: number): void;
  /** Gives an allocation to a server, or takes it back with null. */
  assign(allocation: number, server: number | null): void;
  allocationsOfServer(server: number): AllocationRow[];
  allocationsOfNode(node: number): AllocationRow[];
  serversOfNode(node: number): ServerRow[];
}

/** An empty database. `seed` decides uuids and the random picks of a deploy. */
export function createState(dialect: Dialect, clock: { now(): number }, seed: number): PanelState {
  const random = seeded(seed);
  const counters = new Map<string, number>();
  const externalIds = new Map<string, number>();
  const names = new Map<string, number>();
  const ofServer = new Map<number, Set<number>>();
  const ofNode = new Map<number, Set<number>>();
  const [allocations, servers] = [new Map<number, AllocationRow>(), new Map<number, ServerRow>()];
  const lower = (text: string) => text.toLowerCase();
  const hex = (digits: number) =>
    random
      .int(16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  const rowsOf = (index: Map<number, Set<number>>, key: number): AllocationRow[] =>
    [...(index.get(key) ?? [])].toSorted((a, b) => a - b).flatMap((id) => allocations.get(id) ?? []);
  function indexed(index: Map<number, Set<number>>, key: number): Set<number> {
    const found = index.get(key) ?? new Set<number>();
    index.set(key, found);
    return found;
  }

  return {
    dialect,
    random,
    users: new Map(),
    locations: new Map(),
    nodes: new Map(),
    allocations,
    nests: new Map(),
    eggs: new Map(),
    servers,
    keys: new Map(),
    usage: new Map(),
    onMachine: new Set(),
    calls: [],
    daemonCalls: [],
    now: () => clock.now(),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`,
    nextId(table) {
      const next = (counters.get(table) ?? 0) + 1;
      counters.set(table, next);
      return next;
    },
    insertServer(row) {
      servers.set(row.id, row);
      names.set(row.uuid, row.id).set(row.identifier, row.id);
      if (row.externalId !== null) externalIds.set(lower(row.externalId), row.id);
    },
    removeServer(id) {
      const row = servers.get(id);
      if (!row) return;
      for (const { id: allocation } of this.allocationsOfServer(id)) this.assign(allocation, null);
      this.nameServer(id, null);
      names.delete(row.uuid);
      names.delete(row.identifier);
      servers.delete(id);
    },
    nameServer(id, externalId) {
      const row: Open<ServerRow> | undefined = servers.get(id);
      if (!row) return;
      if (row.externalId !== null) externalIds.delete(lower(row.externalId));
      if (externalId !== null) externalIds.set(lower(externalId), id);
      row.externalId = externalId;
    },
    serverNamed: (externalId) => servers.get(externalIds.get(lower(externalId)) ?? 0) ?? null,
    serverCalled: (name) => servers.get(names.get(name) ?? 0) ?? null,
    insertAllocation(row) {
      allocations.set(row.id, row);
      indexed(ofNode, row.nodeId).add(row.id);
    },
    removeAllocation(id) {
      const row = allocations.get(id);
      if (row) ofNode.get(row.nodeId)?.delete(id);
      allocations.delete(id);
    },
    assign(allocation, server) {
      const row: Open<AllocationRow> | undefined = allocations.get(allocation);
      if (!row) return;
      if (row.serverId !== null) ofServer.get(row.serverId)?.delete(allocation);
      if (server !== null) indexed(ofServer, server).add(allocation);
      row.serverId = server;
    },
    allocationsOfServer: (server) => rowsOf(ofServer, server),
    allocationsOfNode: (node) => rowsOf(ofNode, node),
    serversOfNode: (node) => [...servers.values()].filter((row) => row.nodeId === node),
  };
}
