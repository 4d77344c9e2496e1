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

/** A hook that is to be run: an event, or a task by the clock. */
export interface PluginCall {
  readonly number: number;
  readonly group: 'events' | 'tasks';
  readonly name: string;
  /** JSON. */
  readonly input: string;
  /** How often it failed. */
  readonly tries: number;
  /** Not before this moment. */
  readonly nextMs: number;
}
type NewCall = Pick<PluginCall, 'group' | 'name' | 'input'>;

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

  /** How many calls wait: from the first of them to the last that was given. */
  backlog(identifier: string): Promise<number>;
  /** Whether a task waits already. */
  isTaskWaiting(identifier: string, name: string): Promise<boolean>;
  /** Adds calls behind those that wait. */
  addCalls(identifier: string, calls: readonly NewCall[], nowMs: number): Promise<void>;
  /** The first ones, in their order. */
  nextCalls(identifier: string, limit: number): Promise<PluginCall[]>;
  /** Takes calls away that are done. */
  endCalls(identifier: string, numbers: readonly number[]): Promise<void>;
  /** Notes that one failed, and when it is tried again. */
  delayCall(identifier: string, number: number, nextMs: number): Promise<void>;
  clearCalls(identifier: string): Promise<void>;
  /** Plugins for which something waits. */
  waiting(): Promise<string[]>;
  /** Takes a turn of a task where it is due, and says when the next one is; false where it is not. */
  takeTask(identifier: string, name: string, nowMs: number, nextMs: number): Promise<boolean>;
}
