import type { QueueState, ServerState, SUSPEND_REASONS } from '#shared/schemas/server.ts';
import type { Egg, Location } from '../../catalog/ports.ts';
import type { PanelState, ServerResources } from '../panel/ports.ts';

export type SuspendReason = (typeof SUSPEND_REASONS)[number];
/** What the panel should make of a server; `nothing` for one that never came to be or is gone for certain. */
type DesiredState = 'running' | 'suspended' | 'deleted' | 'nothing';
/** A server as stored. */
export interface ServerRow {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly description: string;
  readonly locationId: string;
  readonly categoryId: string;
  readonly eggId: string;
  readonly resources: ServerResources;
  /** The owner's values of the egg's variables. */
  readonly variables: Readonly<Record<string, string>>;
  readonly state: ServerState;
  readonly desired: DesiredState;
  readonly suspendReason: SuspendReason | null;
  /** Code of the failure (shared/server-codes.ts). */
  readonly failure: string | null;
  /** The panel it is at, for good; null for the embedded one. It is never looked up at another. */
  readonly panel: string | null;
  /** The node it was placed on; null where the panel chooses by itself. */
  readonly panelNode: string | null;
  /** Its name in the panel's client API and pages. */
  readonly panelIdentifier: string | null;
  readonly panelId: string | null;
  readonly panelState: PanelState | null;
  readonly panelSeenMs: number | null;
  readonly address: string | null;
  /** Rises with each change of what we want; `syncedRevision` is the one the panel has. */
  readonly revision: number;
  readonly syncedRevision: number;
  /** The revision with which variables were changed here that the panel does not have yet; 0 where it has them. */
  readonly startupRevision: number;
  /** The port of it that was chosen as the primary one; null: its panel's first. */
  readonly primaryPort: number | null;
  /** When a reinstall was asked for and the panel has not taken that yet. */
  readonly reinstallMs: number | null;
  readonly expiresMs: number | null;
  readonly autoRenew: boolean;
  readonly autoRenewOrder: number;
  /** Paid renewals so far; the number of the next in the ledger's reference. */
  readonly periods: number;
  /** When a server that the panel had already was taken over; null for one that was made here. */
  readonly adoptedMs: number | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}
export type ServerChange = Partial<
  Omit<ServerRow, 'id' | 'userId' | 'createdMs' | 'updatedMs' | 'locationId' | 'categoryId' | 'eggId' | 'adoptedMs'>
> & { readonly deletedMs?: number };

/** An entry of the server queue (behaviour 6.2); the work on it is the job of the same id. */
export interface QueueEntry {
  readonly id: string;
  readonly serverId: string;
  readonly userId: string;
  readonly state: QueueState;
  /** 1 for VIP, else 0. */
  readonly priority: number;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createdMs: number;
  readonly startedMs: number | null;
  readonly doneMs: number | null;
  /** Since when it waits for a panel that is away, or busy; null once it got through. */
  readonly waitingSinceMs: number | null;
}
export type QueueEntryChange = Partial<Omit<QueueEntry, 'id' | 'serverId' | 'userId' | 'createdMs'>>;

/** An entry of the queue with its server. */
export interface ServerBuild {
  readonly entry: QueueEntry;
  readonly server: ServerRow;
  /** Who works on its job; null while nobody does. */
  readonly leaseToken: string | null;
  /** Its panel or node takes no orders: an outage covers it. */
  readonly isAway: boolean;
}
/** What is known of a node as a place for servers. */
export interface NodeReading {
  /** When the nodes of its panel were last read; null where never. */
  readonly readMs: number | null;
  /** It is there and takes servers: not in maintenance, at a panel that is in use. */
  readonly isOpen: boolean;
}
/** What a build needs to know besides the server; null for what is gone, or is not known at the panel yet. */
export interface BuildContext {
  readonly user: {
    readonly id: string;
    readonly username: string;
    readonly email: string;
    readonly firstName: string;
    readonly lastName: string;
    readonly isActive: boolean;
  };
  readonly egg: Egg | null;
  readonly location: Location | null;
  /** The owner's account at the panel. */
  readonly account: string | null;
  readonly panelEgg: string | null;
  /** Its node; one that was never read where it has none. */
  readonly node: NodeReading;
}

export interface LogRow {
  readonly id: string;
  readonly atMs: number;
  readonly code: string;
  readonly detail: string | null;
}

/**
 * Kinds of what is sent or noted once per server and period, and again where an outage kept its owner from acting on
 * it. `suspended` keeps the moment from which the grace counts; `remindOver` is a reminder that comes after the
 * expiry.
 */
export type ReminderKind = 'remind7' | 'remind3' | 'remind1' | 'remindOver' | 'suspended' | 'deleteWarning';
export interface ServerReminder {
  readonly serverId: string;
  readonly periodMs: number;
  readonly kind: ReminderKind;
  readonly atMs: number;
}

/**
 * What a deleted server left for its owner's next one (behaviour 6.6). `taken`: by a server that is being made;
 * `closed`: by one that was.
 */
export interface ServerDebt {
  /** Of the deleted server. */
  readonly serverId: string;
  readonly userId: string;
  readonly name: string;
  /** Credits, 0 or more. */
  readonly owed: number;
  /** End of its time, and from when on nothing is left of it. UTC ms. */
  readonly endedMs: number;
  readonly untilMs: number;
  /** What is reserved for it while it is taken. */
  readonly holdId: string | null;
  readonly createdMs: number;
}

/** What the servers module asks of the database. */
export interface ServersRepo {
  add(server: ServerRow): Promise<void>;
  find(id: string): Promise<ServerRow | null>;
  /**
   * Reads a server and locks its row (PostgreSQL). Lock the owner's limits first. `read`: the row as read a moment ago
   * in this very transaction, which is taken for it where nobody else can have written since (SQLite).
   */
  lock(id: string, read?: ServerRow): Promise<ServerRow | null>;
  update(id: string, change: ServerChange, atMs: number): Promise<void>;
  /** A user's servers that are not deleted, newest first. */
  listByUser(userId: string): Promise<ServerRow[]>;
  /** Their ids, in order: for who goes through thousands of them one by one. */
  listIdsByUser(userId: string): Promise<string[]>;
  /** Those of the ids that exist, deleted ones included. */
  listByIds(ids: readonly string[]): Promise<ServerRow[]>;
  /** Servers that should be at a panel (active, suspended, deleting with a panel id), by id, after one, at most `limit`. */
  listAtPanel(panel: string | null, afterId: string, limit: number): Promise<ServerRow[]>;
  /** The server of ours, not deleted, that a panel knows by an id. */
  findByPanelId(panel: string, panelId: string): Promise<ServerRow | null>;
  listByPanelIds(panel: string, panelIds: readonly string[]): Promise<ServerRow[]>;
  /** Notes what the panel says of live servers that we had not known; everything else stays. */
  updatePanelStates(
    states: readonly { readonly id: string; readonly panelState: PanelState }[],
    atMs: number,
  ): Promise<void>;
  /**
   * Servers whose desired state the panel does not have yet: revision ahead, or waiting to be deleted; not touched
   * since `beforeMs`.
   */
  listUnsynced(beforeMs: number, limit: number): Promise<ServerRow[]>;

  /**
   * Servers in use that expire up to a moment, of owners in good standing: earliest first, after a place, at most
   * `limit`.
   */
  listExpiring(untilMs: number, after: { expiresMs: number; id: string } | null, limit: number): Promise<ServerRow[]>;
  /** Servers suspended for expiry, of owners in good standing: by owner, then in the owner's order, then oldest expiry. */
  listSuspendedForExpiry(
    after: { userId: string; order: number; expiresMs: number; id: string } | null,
    limit: number,
  ): Promise<ServerRow[]>;
  /** Servers in use without an expiry. */
  listWithoutExpiry(limit: number): Promise<ServerRow[]>;
  /**
   * Owners whose ban and whose servers do not go together: banned with a server in use or queued, or in good standing
   * with one suspended for a ban.
   */
  listOwnersOutOfStep(limit: number): Promise<string[]>;

  addQueueEntry(entry: QueueEntry): Promise<void>;
  /** Entries of the queue with their servers; those that are gone are absent. */
  findBuilds(ids: readonly string[]): Promise<ServerBuild[]>;
  /**
   * One of them with what building it needs to know, and with the rows of both and of the job locked (PostgreSQL); lock
   * the owner's limits first.
   */
  lockBuild(id: string): Promise<(ServerBuild & { readonly context: BuildContext }) | null>;
  /**
   * Makes a server that is under construction its owner's to use, or a suspended one where a ban came meanwhile, as the
   * panel reports it. Out: it, and whether it took a debt over; null where it is not under construction.
   */
  completeBuild(
    serverId: string,
    seen: Pick<ServerRow, 'panelState' | 'address'>,
    atMs: number,
  ): Promise<{ readonly server: ServerRow; readonly owes: boolean } | null>;
  /** The newest entry of each server. */
  listNewestEntries(serverIds: readonly string[]): Promise<QueueEntry[]>;
  /** Entries that have waited since before a moment for a panel or node that is still away. */
  listOverdueEntries(beforeMs: number, limit: number): Promise<QueueEntry[]>;
  /** Users with a waiting entry, at most `limit` of them. */
  listWaitingUsers(limit: number): Promise<string[]>;
  countEntries(state: QueueState): Promise<number>;
  updateQueueEntry(id: string, change: QueueEntryChange): Promise<void>;
  /** How long the latest builds took, in ms. */
  listBuildTimes(limit: number): Promise<number[]>;
  addSteps(steps: readonly (LogRow & { queueId: string; serverId: string })[]): Promise<void>;
  listSteps(queueIds: readonly string[]): Promise<(LogRow & { queueId: string })[]>;
  /** Deletes at most `limit` steps that are older than a moment; how many it found. */
  purgeSteps(beforeMs: number, limit: number): Promise<number>;

  /**
   * `actorId`: the player who caused it; null: the system or staff. `byStaff`: one of staff at work on the server. Of
   * events of sub-users `detail` is the id of that user. Out: ids of the server's sub-users.
   */
  addEvent(
    event: LogRow & { serverId: string; userId: string; actorId: string | null; byStaff: boolean },
  ): Promise<string[]>;
  /** Newest first, with usernames in the place of ids; null where the account is gone. */
  listEvents(
    serverId: string,
    limit: number,
  ): Promise<(LogRow & { readonly actor: string | null; readonly byStaff: boolean })[]>;

  /** Notes that something was sent for a period; false where it was before, unless that was before `staleMs`. */
  addReminder(notice: ServerReminder, staleMs?: number): Promise<boolean>;
  listReminders(serverIds: readonly string[]): Promise<ServerReminder[]>;
  deleteReminders(serverId: string): Promise<void>;

  /** Notes what a deleted server leaves; nothing where it is noted already. */
  addDebt(debt: Omit<ServerDebt, 'holdId'>): Promise<void>;
  /** Open debts of a user at a moment, the one that ended first before the others. */
  listOpenDebts(userId: string, nowMs: number): Promise<ServerDebt[]>;
  /** Gives an open debt to a server that is being made; false where it is open no more. */
  takeDebt(serverId: string, taken: { by: string; holdId: string | null }): Promise<boolean>;
  /** The debt that a server which is being made has taken, locked; null without one. */
  findDebtTakenBy(serverId: string): Promise<ServerDebt | null>;
  /** Ends the taking of a debt: paid, or open again. */
  updateDebt(serverId: string, state: 'open' | 'closed'): Promise<void>;
}
