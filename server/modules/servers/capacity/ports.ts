import type { NodeReading } from '../core/ports.ts';
import type { PanelAllocation, PanelNode } from '../panel/ports.ts';

/** A node as last read, with what is promised on it besides the panel's sums. MB. */
export interface NodeCapacity {
  readonly panel: string;
  readonly node: string;
  readonly name: string;
  readonly location: string | null;
  readonly tags: readonly string[];
  readonly public: boolean;
  readonly maintenance: boolean;
  readonly memory: number;
  readonly disk: number;
  /** Percent above what is there; -1: no limit. */
  readonly memoryOverallocate: number;
  readonly diskOverallocate: number;
  /** The panel's sums over its servers. */
  readonly memoryUsed: number;
  readonly diskUsed: number;
  /** Our reservations that the sums do not hold yet. */
  readonly memoryReserved: number;
  readonly diskReserved: number;
  readonly freeAllocations: number;
}
/** A port of a node that one of our servers holds. */
export interface ServerAllocation {
  readonly panel: string;
  readonly node: string;
  readonly allocation: string;
  readonly address: string;
  readonly isDefault: boolean;
}
/**
 * What is reserved for a server and not in the panel's sums yet (MB). One that is confirmed stops to count with the
 * first reading begun after that.
 */
export interface Reservation {
  readonly serverId: string;
  readonly panel: string;
  readonly node: string;
  readonly memory: number;
  readonly disk: number;
  readonly confirmedMs: number | null;
  readonly untilMs: number;
  readonly createdMs: number;
}
/**
 * Capacity: nodes, ports, and what is promised of them. Whoever takes some locks that of the panel first, after the
 * limits of the user, the server and the location: limits, server, location, panel is the order of locks everywhere.
 */
export interface CapacityRepo {
  /** Locks the capacity of a panel for the rest of the transaction; false where the panel is removed or disabled. */
  lock(panel: string): Promise<boolean>;
  /** Whether a node takes servers, which costs the same however much is on it. */
  readNode(panel: string, node: string): Promise<NodeReading>;
  /** Nodes that have not vanished, of one panel or of all that are in use, by id. */
  nodes(panel: string | null): Promise<NodeCapacity[]>;
  /**
   * Gives a server so many free ports of a node, the lowest of an address first, the first of them as its default where
   * it has none. Fewer are given where there are not enough.
   */
  assignAllocations(
    place: { panel: string; node: string; serverId: string },
    count: number,
  ): Promise<ServerAllocation[]>;
  /** Makes just these the ports of a server, the default first; what somebody else of ours holds is left out. */
  replaceAllocations(place: { panel: string; serverId: string }, allocations: readonly string[]): Promise<void>;
  /** A server's ports, the default first. */
  allocationsOf(serverId: string): Promise<ServerAllocation[]>;
  /** Ids of the ports of servers, the default first; a server without ports is absent. */
  allocationIds(serverIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Takes ports from a server. `assigned`: what the panel is known to say of them now; null where nothing new is known. */
  releaseAllocations(serverId: string, allocations: readonly string[], assigned: boolean | null): Promise<void>;
  /** The panel has given the server its ports. */
  markAssigned(serverId: string): Promise<void>;
  findReservation(serverId: string): Promise<Reservation | null>;
  /** Whether the panel's sums may still lack a reservation. */
  outstanding(serverId: string): Promise<{ memory: number; disk: number }>;
  saveReservation(row: Reservation): Promise<void>;
  confirmReservation(serverId: string, atMs: number): Promise<void>;
  extendReservation(serverId: string, untilMs: number): Promise<void>;
  deleteReservation(serverId: string): Promise<void>;
  /** Unconfirmed reservations whose time is over. */
  listExpiredReservations(nowMs: number, limit: number): Promise<Reservation[]>;

  /**
   * Takes over the nodes of a panel as read at a moment (its beginning): sums and facts; nodes that are not among them
   * have vanished. An older reading changes nothing.
   */
  saveNodes(panel: string, nodes: readonly PanelNode[], readMs: number): Promise<void>;
  /** Takes over the ports of a node as read at a moment; what is not among them has vanished. */
  saveAllocations(panel: string, node: string, ports: readonly PanelAllocation[], readMs: number): Promise<void>;
}
