import type { PanelAllocation, PanelNode } from '../panel/ports.ts';

/** A node as last read, with what is promised on it besides the panel's sums. MB. */
export interface NodeRoom {
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
  readonly memoryOver: number;
  readonly diskOver: number;
  /** The panel's sums over its servers. */
  readonly memoryUsed: number;
  readonly diskUsed: number;
  /** Our reservations that the sums do not hold yet. */
  readonly memoryPromised: number;
  readonly diskPromised: number;
  readonly freePorts: number;
}
/** A port of a node that one of our servers holds. */
export interface HeldPort {
  readonly panel: string;
  readonly node: string;
  readonly allocation: string;
  readonly address: string;
  readonly isDefault: boolean;
}
/**
 * Room of a server that the panel's sums do not hold yet (MB). One that is confirmed stops to count with the first
 * reading begun after that.
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
 * The book of capacity: nodes, ports, and what is promised of them. Whoever takes room locks the panel's book first,
 * after the limits of the user, the server and the location: limits, server, location, panel is the order of locks
 * everywhere.
 */
export interface BookRepo {
  /** Locks a panel's book for the rest of the transaction; false where the panel is removed or disabled. */
  lock(panel: string): Promise<boolean>;
  /** When the nodes of a panel were last read; null where never. */
  readMs(panel: string): Promise<number | null>;
  /** Nodes that have not vanished, of one panel or of all that are in use, by id. */
  rooms(panel: string | null): Promise<NodeRoom[]>;
  /**
   * Gives a server so many free ports of a node, the lowest of an address first, the first of them as its default where
   * it has none. Fewer are given where there are not enough.
   */
  takePorts(place: { panel: string; node: string; serverId: string }, count: number): Promise<HeldPort[]>;
  /** Makes just these the ports of a server, the default first; what somebody else of ours holds is left out. */
  holdPorts(place: { panel: string; serverId: string }, allocations: readonly string[]): Promise<void>;
  /** A server's ports, the default first. */
  portsOf(serverId: string): Promise<HeldPort[]>;
  /** Ids of the ports of servers, the default first; a server without ports is absent. */
  portsIn(serverIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Takes ports from a server. `assigned`: what the panel is known to say of them now; null where nothing new is known. */
  dropPorts(serverId: string, allocations: readonly string[], assigned: boolean | null): Promise<void>;
  /** The panel has given the server its ports. */
  markAssigned(serverId: string): Promise<void>;
  reservation(serverId: string): Promise<Reservation | null>;
  /** Whether the panel's sums may still lack a reservation. */
  outstanding(serverId: string): Promise<{ memory: number; disk: number }>;
  putReservation(row: Reservation): Promise<void>;
  confirm(serverId: string, atMs: number): Promise<void>;
  extend(serverId: string, untilMs: number): Promise<void>;
  dropReservation(serverId: string): Promise<void>;
  /** Unconfirmed reservations whose time is over. */
  expired(nowMs: number, limit: number): Promise<Reservation[]>;

  /**
   * Takes over the nodes of a panel as read at a moment (its beginning): sums and facts; nodes that are not among them
   * have vanished. An older reading changes nothing.
   */
  putNodes(panel: string, nodes: readonly PanelNode[], readMs: number): Promise<void>;
  /** Takes over the ports of a node as read at a moment; what is not among them has vanished. */
  putPorts(panel: string, node: string, ports: readonly PanelAllocation[], readMs: number): Promise<void>;
}
