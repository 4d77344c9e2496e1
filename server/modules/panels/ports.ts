import type { OfferKind, PanelDialect, PanelFault, SyncPart } from '#shared/panel-codes.ts';
import type { Panel, PanelAnswer, PanelCatalogue, PanelCheck, PanelNode } from '../servers/panel/ports.ts';

/** What a panel answered in the place of what it was asked for. */
export interface Fault {
  readonly fault: PanelFault;
  /** The refusal's reason, or the code of the last failure of the connection. */
  readonly cause: string | null;
}
/** The last connection test as stored. */
export type StoredCheck = { readonly found: PanelCheck } | Fault;
/** What a connection test said, and when (UTC ms). */
export interface CheckedPanel {
  readonly check: StoredCheck;
  readonly atMs: number;
}
/** The last reading of the catalogue as stored. */
export interface StoredSync {
  readonly state: 'ok' | 'partial' | 'failed';
  /** What could not be read. */
  readonly part: SyncPart | null;
  readonly fault: Fault | null;
  /** Names of nodes whose ports could not be read. */
  readonly nodesFailed: readonly string[];
}
/** A panel as stored. Keys are sealed. Times in UTC ms. */
export interface PanelRow {
  readonly id: string;
  readonly name: string;
  readonly dialect: PanelDialect;
  /** Origin: scheme, host, port. */
  readonly url: string;
  /** Origin at which players open it, where that is another one. */
  readonly publicUrl: string | null;
  readonly keySealed: string;
  readonly clientKeySealed: string | null;
  readonly enabled: boolean;
  readonly checked: StoredCheck | null;
  readonly checkedMs: number | null;
  readonly synced: StoredSync | null;
  readonly syncedMs: number | null;
  readonly syncAskedMs: number | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}
export type PanelEdit = Partial<
  Pick<PanelRow, 'name' | 'dialect' | 'url' | 'publicUrl' | 'keySealed' | 'clientKeySealed' | 'enabled'>
>;
/** What is kept of tests and readings; it does not count as a change of the row. */
export type PanelNote = Partial<
  Pick<PanelRow, 'dialect' | 'checked' | 'checkedMs' | 'synced' | 'syncedMs' | 'syncAskedMs'>
>;
/** How much of ours depends on a panel: servers that are not deleted, locations, bound eggs. */
export interface Uses {
  readonly servers: number;
  readonly locations: number;
  readonly eggs: number;
}

/** One thing of a panel's catalogue as last read. `body` and `taken` are plain JSON. */
export interface Offer {
  readonly kind: OfferKind | 'nest';
  readonly ref: string;
  readonly name: string;
  /** The egg's nest. */
  readonly parent: string | null;
  readonly body: unknown;
  readonly hash: string;
  readonly takenHash: string | null;
  /** What was taken over: the body of then; of a nest the id of its category. */
  readonly taken: unknown;
  readonly firstMs: number;
  readonly seenMs: number;
  readonly vanishedMs: number | null;
}
export type OfferHead = Pick<Offer, 'kind' | 'ref' | 'hash' | 'takenHash' | 'vanishedMs'> & {
  readonly panelId: string;
};
export type SeenOffer = Pick<Offer, 'kind' | 'ref' | 'name' | 'parent' | 'body' | 'hash'>;

/** A node as last read, with its ports. */
export interface NodeWithPorts extends PanelNode {
  readonly ports: number;
  readonly portsFree: number;
  readonly vanishedMs: number | null;
}
/** An egg of ours that is one of the panel's. `elsewhere`: it is bound to another panel as well. */
export interface Binding {
  readonly eggId: string;
  readonly panelEgg: string;
  readonly elsewhere: boolean;
}
/** A location of ours that stands for one of the panel's. */
export interface BoundLocation {
  readonly id: string;
  readonly name: string;
  readonly online: boolean;
  readonly panelLocation: string;
}

/** What the panels module asks of the database. */
export interface PanelsRepo {
  /** By name. */
  list(): Promise<PanelRow[]>;
  find(id: string): Promise<PanelRow | null>;
  /** Reads a row and keeps others from changing it (PostgreSQL), so that nothing is bound to a panel that goes. */
  lock(id: string): Promise<PanelRow | null>;
  /** Which of the two another row has already; null where both are free. */
  findTaken(
    values: { readonly name: string; readonly url: string },
    except: string | null,
  ): Promise<'name' | 'url' | null>;
  /** Adds a row; false where its name or address has been taken meanwhile. */
  add(row: PanelRow): Promise<boolean>;
  /** Changes a row; false where its name or address has been taken meanwhile. */
  update(id: string, edit: PanelEdit, atMs: number): Promise<boolean>;
  saveNote(id: string, note: PanelNote): Promise<void>;
  /** Takes a panel away with all that was read of it. Nothing of ours may be bound to it. */
  delete(id: string): Promise<void>;
  countUses(): Promise<ReadonlyMap<string, Uses>>;

  listOffers(panelId: string): Promise<Offer[]>;
  /** The offers of every panel without what they hold. */
  listOfferHeads(): Promise<OfferHead[]>;
  /**
   * Writes down a complete list of one kind: new ones, changed ones, and those that are not there any more. Vanished
   * ones of which nothing was taken over are forgotten.
   */
  saveOffers(panelId: string, kind: Offer['kind'], seen: readonly SeenOffer[], nowMs: number): Promise<void>;
  /** Notes what came of an offer. */
  markTaken(panelId: string, kind: Offer['kind'], ref: string, hash: string, taken: unknown): Promise<void>;

  listBindings(panelId: string): Promise<Binding[]>;
  bind(eggId: string, panelId: string, panelEgg: string, nowMs: number): Promise<void>;
  unbind(eggId: string, panelId: string): Promise<void>;
  /** Whether an egg is bound to any panel. */
  isBound(eggId: string): Promise<boolean>;
  /** For the deletion of an egg. */
  unbindEgg(eggId: string): Promise<void>;
  listBoundLocations(panelId: string): Promise<BoundLocation[]>;
  /** Panels and what they have that a location can stand at: panel, its name, ref, name. */
  listPlaces(): Promise<
    { readonly panelId: string; readonly panel: string; readonly ref: string; readonly name: string }[]
  >;

  listNodes(panelId: string): Promise<NodeWithPorts[]>;

  /** Users with one of these addresses, without case. */
  listUsersByEmail(emails: readonly string[]): Promise<AccountUser[]>;
  findUser(userId: string): Promise<AccountUser | null>;
  /** Keeps a code by which a user proves an account, in place of an earlier one. */
  saveCode(code: AccountCode): Promise<void>;
  findCode(panelId: string, userId: string): Promise<AccountCode | null>;
  /** Counts a try, at most so many; the code as it stands, or null where there is none or its tries are used up. */
  countCodeTry(panelId: string, userId: string, most: number): Promise<AccountCode | null>;
  /** Takes a code away; false where it had gone. */
  deleteCode(panelId: string, userId: string, codeHash: string): Promise<boolean>;
}

/** A user of ours whose account in a panel is looked for. `confirmed`: the address is proven. */
export interface AccountUser {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly confirmed: boolean;
}
/** A code that was mailed to a user, by which an account of a panel is proven to be theirs. Time in UTC ms. */
export interface AccountCode {
  readonly panelId: string;
  readonly userId: string;
  /** The account it is about. */
  readonly account: string;
  /** The address it was mailed to. */
  readonly email: string;
  readonly codeHash: string;
  readonly tries: number;
  readonly expiresMs: number;
}

/** A panel over HTTP as a row says it is reached. */
export interface PanelAddress {
  readonly id: string | null;
  readonly name: string;
  readonly dialect: PanelDialect;
  readonly url: string;
  /** Where its players' links lead; null: to `url`. */
  readonly publicUrl: string | null;
  readonly key: string;
  readonly clientKey: string | null;
}
/** The two sides of one panel: they share time-outs, rate budget and circuit breaker. */
export interface Connection {
  readonly panel: Panel;
  readonly catalogue: PanelCatalogue;
}
/** The way to panels. */
export interface Connector {
  /** Makes the client of a panel. Opens nothing yet. */
  connect(address: PanelAddress): Connection;
  /** Which kind of panel stands at an address. `failure`: the code of what went wrong, as in PanelHealth. Never rejects. */
  detect(address: {
    readonly url: string;
    readonly key: string;
  }): Promise<{ readonly answer: PanelAnswer<PanelDialect>; readonly failure: string | null }>;
}

/**
 * What stands behind a host name: only private networks, at least one address of the internet, something nobody may be
 * sent to (this network segment alone, no address), or nothing that is known.
 */
export type HostKind = 'private' | 'public' | 'forbidden' | 'unknown';
/** Looks a host name or address up. Never throws. */
export type KindOfHost = (host: string) => Promise<HostKind>;
