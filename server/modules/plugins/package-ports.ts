import type { PluginManifest, PluginPermissions } from '#shared/plugin-manifest.ts';

/** What a package holds, read without running anything of it. */
export interface PackageContent {
  readonly manifest: PluginManifest;
  /** Its modules; '' where it has none. */
  readonly serverCode: string;
  readonly clientCode: string;
  /** SHA-256 over every file with its path, hex. */
  readonly digest: string;
  /** Public key (Ed25519, base64) of who signed it; null: nobody did. */
  readonly signer: string | null;
  /** Bytes of the file. */
  readonly size: number;
}
/** A package that staff look at before it is installed. */
export interface UploadRow extends PackageContent {
  readonly id: string;
  readonly createdMs: number;
}
/** What staff granted a plugin: at most what its manifest asks for. */
export interface Granted extends PluginPermissions {
  /** Its client module runs in everybody's browser. */
  readonly client?: true | undefined;
}
/** Why a plugin was turned off by itself: it broke down five times in a row, or too much waited for it. */
export type StoppedCause = 'faults' | 'backlog';

/** An installed plugin, without its modules. */
export interface PackageRow {
  readonly identifier: string;
  readonly manifest: PluginManifest;
  readonly digest: string;
  readonly signer: string | null;
  readonly size: number;
  readonly granted: Granted;
  readonly grantedMs: number;
  /** Id of who granted it; null: not known. */
  readonly grantedBy: string | null;
  readonly installedMs: number;
  readonly updatedMs: number;
  readonly stopped: { readonly cause: StoppedCause; readonly text: string; readonly atMs: number } | null;
}
/** The key of an author, and since when it is known. */
export interface KnownKey {
  readonly author: string;
  readonly knownMs: number;
}

/** An event as plugins hear of it, in its place among all of them. */
export interface PluginEvent {
  readonly number: number;
  /** Of the event itself; the same however often it is heard. */
  readonly id: string;
  readonly name: string;
  /** What webhooks are sent, as JSON. */
  readonly body: string;
}
/** How far a plugin has heard. */
export interface PluginCursor {
  /** The number of the last event that is done; what follows waits. */
  readonly heard: number;
  /** How often the next one failed. */
  readonly tries: number;
  /** The next one waits until this moment. */
  readonly nextMs: number;
}
/** A task whose turn came, and that has not ended. */
export interface DueTask {
  readonly name: string;
  /** When its turn came. */
  readonly dueMs: number;
  /** How often it failed. */
  readonly tries: number;
  /** Not before this moment. */
  readonly nextMs: number;
}

export interface PluginPackagesRepo {
  /** All that are installed, by identifier. */
  list(): Promise<PackageRow[]>;
  find(identifier: string): Promise<PackageRow | null>;
  /** The same, locked until the transaction ends. */
  lock(identifier: string): Promise<PackageRow | null>;
  /** Username of who granted what it may do; null: not known, or it is not installed. */
  grantor(identifier: string): Promise<string | null>;
  /** The modules of one; null: it is not installed. */
  modules(identifier: string): Promise<Pick<PackageContent, 'serverCode' | 'clientCode'> | null>;
  /** Installs one in the place of what was there. What it kept stays. */
  save(row: PackageRow & Pick<PackageContent, 'serverCode' | 'clientCode'>): Promise<void>;
  setStopped(identifier: string, stopped: PackageRow['stopped']): Promise<void>;
  /** Removes one with what it kept and what waits for it. */
  remove(identifier: string): Promise<void>;

  addUpload(upload: UploadRow): Promise<void>;
  findUpload(id: string): Promise<UploadRow | null>;
  removeUpload(id: string): Promise<void>;
  /** Removes those from before a moment. */
  purgeUploads(beforeMs: number): Promise<void>;

  findKey(publicKey: string): Promise<KnownKey | null>;
  /** Notes a key, unless it is known. */
  addKey(publicKey: string, key: KnownKey): Promise<void>;

  /** A value that a plugin keeps, as JSON. */
  getValue(identifier: string, name: string): Promise<string | null>;
  /** Keeps a value; false, and nothing stored, where all of the plugin's would be more than it may keep. */
  setValue(
    identifier: string,
    name: string,
    value: string,
    max: { readonly bytes: number; readonly keys: number },
  ): Promise<boolean>;
  deleteValue(identifier: string, name: string): Promise<void>;
  /** Names that begin with a text, in their order, after one. */
  listNames(identifier: string, prefix: string, after: string, limit: number): Promise<string[]>;

  /** Numbers events behind all others, for every plugin that may hear them. */
  addEvents(events: readonly Pick<PluginEvent, 'id' | 'name'>[]): Promise<void>;
  /** The number of the last event; 0: there was none. */
  lastEvent(): Promise<number>;
  /** How often each name occurs among the events behind a number. */
  countBehind(heard: number): Promise<{ readonly name: string; readonly count: number }[]>;
  /** Events behind a number, in their order. */
  eventsBehind(heard: number, limit: number): Promise<PluginEvent[]>;
  /** How far each of the installed ones has heard. */
  cursors(): Promise<ReadonlyMap<string, PluginCursor>>;
  /** Moves a cursor on to an event that is done; one that is further already stays. */
  moveCursor(identifier: string, heard: number): Promise<void>;
  /** Notes that the event behind the cursor failed, and when it is tried again. */
  delayEvent(identifier: string, heard: number, nextMs: number): Promise<void>;
  /** Gives up everything that waits for a plugin: it hears what comes from now on. */
  skipAll(identifier: string): Promise<void>;
  /** Deletes events up to a number, but for the last one of all. */
  purgeEvents(upTo: number): Promise<void>;

  /** Tasks of a plugin whose turn came. */
  dueTasks(identifier: string): Promise<DueTask[]>;
  /** A task is done, or given up. */
  endTask(identifier: string, name: string): Promise<void>;
  /** Notes that a task failed, and when it is tried again. */
  delayTask(identifier: string, name: string, nextMs: number): Promise<void>;
  /** Takes a turn of a task where it is due, and says when the next one is; one that waits already waits on. */
  takeTask(identifier: string, name: string, nowMs: number, nextMs: number): Promise<void>;
}
