import type { Resources } from '#shared/constants.ts';
import type { ServerBackupCall, ServerBackupInput, ServerBackupOutput } from '#shared/schemas/server-backups.ts';
import type { FileCall, FileInput, FileOutput } from '#shared/schemas/server-files.ts';
import type { ConfigFile } from '#shared/config-files.ts';
import type { EggContainer } from '#shared/engine.ts';
import type { ConsoleKind, HaltReason } from '#shared/server-codes.ts';

/**
 * What the panel last said: `requested` a creation was sent and is not yet answered (so the panel may have made it),
 * `missing` it was not found once; else the panel's own state.
 */
export type PanelState =
  'requested' | 'missing' | 'installing' | 'install_failed' | 'reinstall_failed' | 'restoring' | 'ready' | 'suspended';

/**
 * The game panel, as the product sees it (behaviour 6.7). Adapters: the embedded one, Pterodactyl, Pelican; one
 * conformance suite for all. No call ever throws, and none may run inside a database transaction.
 */
export type PanelAnswer<T> =
  | { readonly outcome: 'ok'; readonly value: T }
  /** The panel answered, and it is certain that there is no such thing. Never said of a panel that did not answer. */
  | { readonly outcome: 'not_found' }
  /** The panel understood and said no; the same question will get the same answer. Nothing was changed. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Somebody else changed it at the same time, or it exists already: look it up before anything else. */
  | { readonly outcome: 'conflict' }
  /** The panel did not do it (down, too many requests): certain that nothing was changed. */
  | { readonly outcome: 'unavailable'; readonly away?: Away }
  /** No answer came back: it may have been done, or may still be. */
  | { readonly outcome: 'unknown'; readonly away?: Away };

/** What kept a panel from doing it, where it is known: its machine cannot be reached, or it has too much to do just now. */
export type Away = 'node' | 'busy';

/** MB, MB, percent of one core, counts. */
export type ServerResources = Omit<Resources, 'slots'>;

export interface PanelUser {
  /** Our user id: the only thing a panel account is matched by (attacks T28). */
  readonly externalId: string;
  readonly username: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}
/** Where a server goes, decided by our own capacity (behaviour 6.1): ids of the panel. */
export interface PanelPlacement {
  readonly node: string;
  /** The default allocation. */
  readonly allocation: string;
  readonly additional: readonly string[];
}
export interface PanelServerSpec {
  /** Our server id: unique in the panel, so that a repeated creation never makes a second server. */
  readonly externalId: string;
  /** Id of the owner's account in the panel. */
  readonly userId: string;
  readonly name: string;
  readonly description: string;
  readonly location: { readonly id: string; readonly name: string; readonly address: string };
  /** Null for the embedded panel, which chooses by itself. */
  readonly placement: PanelPlacement | null;
  /** `id`: the panel's egg (the embedded panel takes ours). */
  readonly egg: {
    readonly id: string;
    readonly dockerImage: string;
    readonly startup: string;
    /** What is written before each start; panels with eggs of their own go by those. Absent: nothing. */
    readonly configFiles?: readonly ConfigFile[];
    /** What its file says of its container, for the machine's own engine; absent or null: nothing. */
    readonly container?: EggContainer | null;
  };
  readonly resources: ServerResources;
  /** Every variable of the egg, as text. */
  readonly environment: Readonly<Record<string, string>>;
}
export type PanelServerState = 'installing' | 'install_failed' | 'reinstall_failed' | 'restoring' | 'ready';
/** A port a server has: the panel's id of it, and `host:port`. */
export interface PanelServerAllocation {
  readonly id: string;
  readonly address: string;
}
export interface PanelServer {
  readonly panelId: string;
  readonly externalId: string | null;
  /** Name of the server in the panel's client API and its pages; null where it has none (embedded). */
  readonly identifier: string | null;
  /** The panel account that owns it; null where the panel has no such notion. */
  readonly userId: string | null;
  readonly node: string | null;
  readonly egg: string | null;
  readonly name: string;
  readonly description: string;
  readonly state: PanelServerState;
  readonly suspended: boolean;
  readonly resources: ServerResources;
  /** `host:port` where players connect. */
  readonly address: string | null;
  /** Its ports, the default first; null where the panel was not asked for them. */
  readonly allocations: readonly PanelServerAllocation[] | null;
  /** How many ports its owner may give it there; absent where the panel has no such limit. */
  readonly portLimit?: number;
  /** Its variables as the panel has them, where it tells. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What is in use, where the panel knows it: counts, and MB of disk. */
  readonly usage: {
    readonly databases: number | null;
    readonly backups: number | null;
    readonly disk: number | null;
    /** MB of memory; absent where the panel does not say. */
    readonly memory?: number | null;
  };
}
/** All of it is sent each time: a panel blanks what is left out (panel contract, section 5). */
export interface PanelDetails {
  readonly name: string;
  readonly description: string;
  readonly externalId: string;
  readonly userId: string;
}
/**
 * A change of limits, with the ports to give and to take: ids of the panel. The embedded panel goes by
 * `resources.ports` alone.
 */
export interface PanelBuild {
  readonly resources: ServerResources;
  readonly addAllocations: readonly string[];
  readonly removeAllocations: readonly string[];
  /** The port that becomes the primary one, for panels that give ports by themselves; absent or null: as it is. */
  readonly primaryPort?: number | null;
}
export interface PanelStartup {
  readonly egg: string;
  readonly dockerImage: string;
  readonly startup: string;
  /** Every variable of the egg, as text. */
  readonly environment: Readonly<Record<string, string>>;
  /** As when it was made. */
  readonly configFiles?: readonly ConfigFile[];
  readonly container?: EggContainer | null;
}
/** What a server uses right now (client API). Memory and disk in bytes, cpu in percent of one core, uptime in ms. */
export interface PanelUsage {
  /** `unknown`: the machine does not know the server or does not answer the panel. */
  readonly power: 'offline' | 'starting' | 'running' | 'stopping' | 'unknown';
  readonly memory: number;
  readonly cpu: number;
  readonly disk: number;
  readonly uptime: number;
  /** Bytes a second that come and go; absent where the panel does not measure that. */
  readonly network?: { readonly received: number; readonly sent: number };
  /** Why it does not run, or does not end; absent where the panel does not say. */
  readonly halt?: ServerHalt | null;
}
/** A reason that is shown to the owner, with the port where it is about one. */
export interface ServerHalt {
  readonly reason: HaltReason;
  readonly port: number | null;
}
/** A line of a server's console. */
export interface ConsoleLine {
  /** Grows with each line, also across restarts of what keeps them; not by one. */
  readonly seq: number;
  readonly atMs: number;
  readonly kind: ConsoleKind;
  /**
   * Text of at most 8192 characters; of control characters only sequences of colours. Of `state`: the state; of
   * `config`: the reason and, behind a space, the path of the file.
   */
  readonly text: string;
}
export interface ConsolePart {
  readonly lines: readonly ConsoleLine[];
  /** Lines before the first of these are missing. */
  readonly gap: boolean;
}
/** The consoles of a panel that has them here. No call throws. */
export interface PanelConsole {
  /**
   * The lines behind a number (0: from the oldest that is kept); waits up to `waitMs` where there are none yet, unless
   * `signal` says that nobody wants them any more.
   */
  read(identifier: string, after: number, waitMs: number, signal?: AbortSignal): Promise<PanelAnswer<ConsolePart>>;
  /** Writes a line into the standard input; `conflict` while the server does not run. */
  send(identifier: string, text: string): Promise<PanelAnswer<null>>;
}
/** What a call about files answers, with the bytes of a file where it reads one. */
export interface FileResult<N extends FileCall> {
  readonly value: FileOutput<N>;
  readonly bytes: Uint8Array;
}
/**
 * Works on the files of a server: `refused` with one of FILE_REFUSALS, `conflict` while it is installed or much else is
 * asked of it. In: the server's identifier, the call, what it takes, and the bytes of a file that it writes. Never
 * throws.
 */
export type PanelFiles = <N extends FileCall>(
  identifier: string,
  call: N,
  input: FileInput<N>,
  bytes?: Uint8Array,
) => Promise<PanelAnswer<FileResult<N>>>;
/**
 * Works on the backups of a server: `refused` with one of SERVER_BACKUP_REFUSALS, `conflict` while something else is
 * done with it. Making and restoring go on after the answer; the list says what became of them. Never throws.
 */
export type PanelBackups = <N extends ServerBackupCall>(
  identifier: string,
  call: N,
  input: ServerBackupInput<N>,
) => Promise<PanelAnswer<{ readonly value: ServerBackupOutput<N>; readonly bytes: Uint8Array }>>;
/** What of an egg says how its servers run on this machine. */
export interface EggKind {
  readonly dockerImage: string;
  readonly container?: EggContainer | null;
}
export type PowerSignal = 'start' | 'stop' | 'restart' | 'kill';

export interface Panel {
  readonly driver: 'embedded' | 'pterodactyl' | 'pelican';
  /** Whether the built-in panel really runs servers of an egg on this machine; absent: it runs none, or is another. */
  readonly runsHere?: (egg: EggKind) => boolean;
  /**
   * Why no server of an egg may be made here now; null where it may, absent where the panel never refuses. In: the egg,
   * and the permissions of its owner.
   */
  readonly refusal?: (egg: EggKind, permissions: readonly string[]) => 'EGG_UNAVAILABLE' | 'MACHINE_CLOSED' | null;
  /** How long an installation takes at this panel by its own word, in ms; null where only experience tells. */
  typicalInstallMs(): number | null;
  /**
   * Finds the account of a user by our id or makes it. Its panel id. Never matches by an address or a name (attacks
   * T28).
   */
  ensureUser(user: PanelUser): Promise<PanelAnswer<string>>;
  /** Brings address and names of an account to ours (behaviour 6.7, changes of address follow). */
  updateUser(panelUserId: string, user: PanelUser): Promise<PanelAnswer<null>>;
  createServer(spec: PanelServerSpec): Promise<PanelAnswer<PanelServer>>;
  findServerByExternalId(externalId: string): Promise<PanelAnswer<PanelServer>>;
  readServer(panelId: string): Promise<PanelAnswer<PanelServer>>;
  /** The newest servers, as many as one page of the panel's list holds: one call for all that are being installed. */
  newestServers(): Promise<PanelAnswer<readonly PanelServer[]>>;
  /** Servers in a stable order, in pages that start at 1; `next` is null on the last. */
  listServers(
    page: number,
  ): Promise<PanelAnswer<{ readonly servers: readonly PanelServer[]; readonly next: number | null }>>;
  setBuild(panelId: string, build: PanelBuild): Promise<PanelAnswer<PanelServer>>;
  setDetails(panelId: string, details: PanelDetails): Promise<PanelAnswer<PanelServer>>;
  setStartup(panelId: string, startup: PanelStartup): Promise<PanelAnswer<PanelServer>>;
  suspend(panelId: string): Promise<PanelAnswer<null>>;
  unsuspend(panelId: string): Promise<PanelAnswer<null>>;
  /** Lifts a suspension as a side effect on real panels (panel contract, section 5): suspend again after. */
  reinstall(panelId: string): Promise<PanelAnswer<null>>;
  /** `force`: also where the machine does not answer; its files stay there. Staff only. */
  deleteServer(panelId: string, force?: boolean): Promise<PanelAnswer<null>>;
  /**
   * Live usage by the client API; `refused` with reason `no_client_key` where none is set, `busy` while suspended,
   * installing or in maintenance.
   */
  usage(identifier: string): Promise<PanelAnswer<PanelUsage>>;
  power(identifier: string, signal: PowerSignal): Promise<PanelAnswer<null>>;
  /**
   * Takes the word of a server's owner that they accept the licence of what it runs, which it starts only with; absent
   * where the panel asks for it itself, or needs none.
   */
  readonly acceptLicence?: (panelId: string) => Promise<PanelAnswer<null>>;
  /** Absent where servers are operated in the panel's own pages, or are imitated. */
  readonly console?: PanelConsole;
  /**
   * Addresses of a server's ports, the primary first, by what the panel wrote down here: nobody outside is asked.
   * Absent where its ports are known from its nodes; then the primary one is not chosen here either.
   */
  readonly addresses?: (panelId: string) => Promise<string[]>;
  /** The same for files. */
  readonly files?: PanelFiles;
  /** The same for backups. */
  readonly backups?: PanelBackups;
  /** Page of a server in the panel, and where an account sets its password; null for the embedded panel. */
  links(identifier: string): { readonly server: string; readonly password: string } | null;
}

/** An account as a panel has it. */
export interface PanelAccountDetails {
  readonly id: string;
  readonly externalId: string | null;
  readonly email: string;
  readonly username: string;
  /** Administrator of the panel; also where the panel does not say. */
  readonly admin: boolean;
}

/** What a panel offers, as its catalogue calls tell it. All ids are the panel's, as text. */
export interface PanelNode {
  readonly id: string;
  readonly name: string;
  readonly fqdn: string;
  /** The panel's location (Pterodactyl); null with Pelican, where `tags` stand in. */
  readonly location: string | null;
  readonly tags: readonly string[];
  readonly public: boolean;
  readonly maintenance: boolean;
  /** MB. */
  readonly memory: number;
  readonly disk: number;
  /** Percent above what is there; -1: no limit. */
  readonly memoryOverallocate: number;
  readonly diskOverallocate: number;
  /** MB that servers were given, by the panel's sums. */
  readonly memoryUsed: number;
  readonly diskUsed: number;
}
export interface PanelAllocation {
  readonly id: string;
  readonly node: string;
  readonly ip: string;
  readonly alias: string | null;
  readonly port: number;
  readonly assigned: boolean;
}
export interface PanelEgg {
  readonly id: string;
  /** The nest (Pterodactyl); with Pelican the egg's first tag or ''. */
  readonly nest: { readonly id: string; readonly name: string };
  readonly uuid: string;
  readonly name: string;
  readonly description: string;
  /** Label to image, in the panel's order. */
  readonly dockerImages: readonly { readonly label: string; readonly image: string }[];
  readonly startup: string;
  readonly variables: readonly {
    readonly env: string;
    readonly name: string;
    readonly description: string;
    readonly defaultValue: string;
    readonly rules: string;
    readonly viewable: boolean;
    readonly editable: boolean;
  }[];
}
/** What a connection test found (behaviour 6.7): each right the product needs and whether the key has it. */
export interface PanelCheck {
  readonly dialect: 'pterodactyl' | 'pelican';
  readonly rights: readonly {
    readonly right: PanelRight;
    readonly level: 'read' | 'write';
    readonly granted: boolean;
  }[];
  readonly clientKey: 'ok' | 'absent' | 'refused';
}
export const PANEL_RIGHTS = ['servers', 'users', 'nodes', 'allocations', 'locations', 'nests', 'eggs'] as const;
export type PanelRight = (typeof PANEL_RIGHTS)[number];

/** How a panel does: the circuit breaker, and what is left of the panel's rate limit in this window. */
export interface PanelHealth {
  readonly circuit: 'closed' | 'open' | 'trying';
  readonly opensAgainMs: number | null;
  readonly budget: { readonly limit: number; readonly left: number; readonly resetsMs: number };
  readonly lastAnswerMs: number | null;
  /**
   * Code of the last failure: `timeout`, `refused`, `tls`, `dns`, `not_json`, `redirect`, `key`, `rate_limited`,
   * `status_5xx`.
   */
  readonly lastFailure: string | null;
}

/** The catalogue side of a real panel. Same closed set of outcomes; never throws. */
export interface PanelCatalogue {
  check(): Promise<PanelAnswer<PanelCheck>>;
  /** Locations (Pterodactyl), or the tags of all nodes (Pelican). */
  locations(): Promise<
    PanelAnswer<readonly { readonly id: string; readonly name: string; readonly description: string }[]>
  >;
  nodes(): Promise<PanelAnswer<readonly PanelNode[]>>;
  allocations(node: string): Promise<PanelAnswer<readonly PanelAllocation[]>>;
  eggs(): Promise<PanelAnswer<readonly PanelEgg[]>>;
  /** Every account of the panel. */
  accounts(): Promise<PanelAnswer<readonly PanelAccountDetails[]>>;
  /** The account with an address, compared as a whole and without case; null where there is none. */
  accountByEmail(email: string): Promise<PanelAnswer<PanelAccountDetails | null>>;
  /**
   * Gives an account our id, on somebody's word that it is this user's (decision 018). It is read once more before:
   * `refused` with reason `admin`, `external_id` (it is another user's) or `email` (it has another address by now).
   * `password`: a new one for it; null leaves it. `formerId`: an id of ours that it may have all the same, of somebody
   * who is deleted.
   */
  bindAccount(
    id: string,
    user: PanelUser,
    password: string | null,
    formerId?: string | null,
  ): Promise<PanelAnswer<null>>;
  health(): PanelHealth;
}
