import type { USER_STATES } from '#shared/schemas/people.ts';
import type { QueueState, ServerState } from '#shared/schemas/server.ts';
import type { CreatedCursor } from '../../export-steps.ts';
import type { DriftRow } from '../panel/index.ts';
import type { ServerResources } from '../panel/ports.ts';
import type { SuspendReason } from './ports.ts';

export interface StaffOwner {
  readonly id: string;
  readonly username: string;
  readonly status: (typeof USER_STATES)[number];
}
/** A server as the staff's list shows it. */
export interface StaffServer {
  readonly id: string;
  readonly name: string;
  readonly state: ServerState;
  readonly suspendReason: SuspendReason | null;
  /** Why staff suspended it; only with the reason `admin`. */
  readonly suspendNote: string | null;
  readonly failure: string | null;
  readonly owner: StaffOwner;
  readonly location: { readonly id: string; readonly name: string };
  /** Null: the embedded panel. */
  readonly panel: { readonly id: string; readonly name: string } | null;
  readonly panelNode: string | null;
  readonly address: string | null;
  readonly resources: ServerResources;
  readonly pending: boolean;
  readonly expiresMs: number | null;
  readonly createdMs: number;
  readonly adoptedMs: number | null;
}
export type StaffServerSort = 'name' | 'owner' | 'created' | 'expires';
interface Page {
  readonly dir: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}
/** Which servers are asked for. */
export interface StaffServerFilter {
  /** Beginning of a name, an address or the owner's username, or a whole id. */
  readonly search?: string | undefined;
  readonly state?: Exclude<ServerState, 'deleted'> | undefined;
  readonly locationId?: string | undefined;
  readonly ownerId?: string | undefined;
  /** '' is the embedded panel. */
  readonly panel?: string | undefined;
}
export interface StaffServerQuery extends StaffServerFilter, Page {
  readonly sort: StaffServerSort;
}

/** An entry of the queue as staff see it. */
export interface StaffEntry {
  readonly id: string;
  readonly state: QueueState;
  readonly priority: number;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly waitingSinceMs: number | null;
  /** Where its server stands at its panel, as far as it does. */
  readonly panelNode: string | null;
  readonly panelId: string | null;
  readonly runAtMs: number;
  readonly createdMs: number;
  readonly startedMs: number | null;
  readonly doneMs: number | null;
  readonly owner: StaffOwner;
  readonly server: { readonly id: string; readonly name: string; readonly state: ServerState };
  readonly location: { readonly id: string; readonly name: string };
  readonly panel: { readonly id: string; readonly name: string } | null;
}
/** Which entries of the queue are asked for. */
export interface StaffQueueFilter {
  readonly state?: QueueState | undefined;
  /** As for servers; the id may be the entry's. */
  readonly search?: string | undefined;
}
export interface StaffQueueQuery extends StaffQueueFilter, Page {}
/** A step of the queue's log with what it belongs to. */
export interface StaffStep {
  readonly id: string;
  readonly atMs: number;
  readonly code: string;
  readonly detail: string | null;
  /** Null where the entry was deleted. */
  readonly queueId: string | null;
  readonly serverId: string;
  readonly server: string | null;
  readonly username: string | null;
}
export interface StaffLogQuery extends Omit<Page, 'dir'> {
  readonly code?: string | undefined;
  /** Beginning of a server's name, or the whole id of a server or an entry. */
  readonly search?: string | undefined;
}
/** Something in which a panel and we differ. */
export interface StaffDrift extends DriftRow {
  /** '' is the embedded panel. */
  readonly panel: string;
  readonly panelName: string | null;
  readonly firstMs: number;
  readonly seenMs: number;
  readonly server: { readonly name: string; readonly state: ServerState; readonly owner: string } | null;
}
export interface StaffDriftQuery extends Page {
  readonly kind?: DriftRow['kind'] | undefined;
  readonly panel?: string | undefined;
  readonly sort: 'first' | 'name';
}

/** What staff ask the database of servers. Every order has an index behind it (behaviour 1). */
export interface StaffServersRepo {
  listServers(query: StaffServerQuery): Promise<{ rows: StaffServer[]; total: number }>;
  /** Servers behind one, the newest first; null: from the beginning. */
  exportServers(query: StaffServerFilter, after: CreatedCursor | null, limit: number): Promise<StaffServer[]>;
  /** Null for one that is missing or deleted. */
  findServer(id: string): Promise<StaffServer | null>;
  /** How many there are in each state, deleted ones left out. */
  countStates(): Promise<ReadonlyMap<ServerState, number>>;
  setNote(id: string, note: string | null): Promise<void>;
  listPanels(): Promise<{ id: string; name: string }[]>;

  listEntries(query: StaffQueueQuery): Promise<{ rows: StaffEntry[]; total: number }>;
  /** As `exportServers`. */
  exportEntries(query: StaffQueueFilter, after: CreatedCursor | null, limit: number): Promise<StaffEntry[]>;
  findEntry(id: string): Promise<StaffEntry | null>;
  countEntryStates(): Promise<ReadonlyMap<QueueState, number>>;
  /** Deletes an entry that is over, with its log; false where it is open or gone. */
  deleteEntry(id: string): Promise<boolean>;
  /** Newest first. */
  listLog(query: StaffLogQuery): Promise<{ rows: StaffStep[]; total: number }>;

  listDrift(query: StaffDriftQuery): Promise<{ rows: StaffDrift[]; total: number }>;
  listDriftOfServer(serverId: string): Promise<StaffDrift[]>;
  findDrift(panel: string, kind: DriftRow['kind'], ref: string): Promise<StaffDrift | null>;
  countDriftKinds(): Promise<ReadonlyMap<DriftRow['kind'], number>>;
  /** Takes an orphan that is one no more off the list. */
  deleteDrift(panel: string, kind: DriftRow['kind'], ref: string): Promise<void>;
  /** Whether a job with this key waits or runs. */
  isJobOpen(uniqueKey: string): Promise<boolean>;
  /** Takes back a job that waits. */
  deleteJob(uniqueKey: string): Promise<void>;
}
