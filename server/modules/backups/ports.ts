import type { BackupFaultCode, BackupKind, BackupLock, BackupStep } from '#shared/backups.ts';

/** What an installation holds at a moment, or held when a backup of it was made. */
export interface InstallationFigures {
  readonly madeMs: number;
  /** Version of the program. */
  readonly version: string;
  readonly dialect: 'sqlite' | 'postgres';
  /** Users and servers that are there, and credits in circulation. */
  readonly users: number;
  readonly servers: number;
  readonly credits: number;
  /** Uploads. */
  readonly files: number;
  readonly fileBytes: number;
}

/** A backup in the folder. `facts` is null where the file was put there by hand. */
export interface StoredBackup {
  readonly id: string;
  readonly kind: BackupKind;
  readonly atMs: number;
  readonly bytes: number;
  readonly lock: BackupLock;
  readonly facts: {
    /** What it holds; null where nobody has looked into it yet. */
    readonly figures: InstallationFigures | null;
    /** The last verification; null: none yet. */
    readonly verified: { readonly at_ms: number; readonly fault: BackupFaultCode | null } | null;
  } | null;
}

/** The folder of backups. */
export interface BackupFiles {
  /** Where it is, for people. */
  readonly folder: string;
  /** The newest first. */
  list(): readonly StoredBackup[];
  find(id: string): StoredBackup | null;
  /** What an id says of itself; null where it is none. */
  parse(id: string): Pick<StoredBackup, 'kind' | 'atMs'> | null;
  /** Out: whether there was one. */
  remove(id: string): boolean;
  /** The bytes of a backup as they are read; null where there is none. */
  read(id: string): ReadableStream<Uint8Array> | null;
  /** Bytes that are free on the disk. */
  freeBytes(): number;
  /** The recovery key, which opens the backups of this installation. */
  recoveryKey(): string;
}

/** Hears how far a task is; `all` is null where nobody knows how much there is. */
export type OnStep = (step: BackupStep, done: number, all: number | null) => void;
export type Outcome<T> = { readonly done: T } | { readonly fault: BackupFaultCode; readonly message: string };

/** A backup in the storage elsewhere. */
export type RemoteBackup = Pick<StoredBackup, 'id' | 'kind' | 'atMs' | 'bytes'>;

/** The storage elsewhere that the settings name, as far as it takes a moment. Nothing here rejects. */
export interface RemoteBackups {
  /** Where it is, for people; null: none is named. */
  place(): string | null;
  /** The newest first. */
  list(): Promise<Outcome<readonly RemoteBackup[]>>;
  remove(id: string): Promise<Outcome<unknown>>;
}

/** Does what takes long in a process of its own. Nothing here rejects. */
export interface BackupWorker {
  /** `passphrase`: what opens it, and nothing else does; absent: the recovery key of this installation. */
  create(
    kind: BackupKind,
    onStep: OnStep,
    passphrase?: string,
  ): Promise<Outcome<{ readonly id: string; readonly bytes: number }>>;
  /** `key`: a recovery key or passphrase; absent: the recovery key of this installation. */
  verify(id: string, onStep: OnStep, key?: string): Promise<Outcome<unknown>>;
  /** Copies a backup into the storage elsewhere. */
  send(id: string, onStep: OnStep): Promise<Outcome<unknown>>;
  /** Copies one from there into the folder. */
  retrieve(id: string, onStep: OnStep): Promise<Outcome<unknown>>;
  /** The first half of a restore, beside the running installation. */
  stage(id: string, onStep: OnStep, key?: string): Promise<Outcome<unknown>>;
  /** The second half: this installation is closed for it and opened again. */
  replace(id: string, onStep: OnStep): Promise<Outcome<unknown>>;
  /** What this installation holds now. */
  count(): Promise<Outcome<InstallationFigures>>;
  /** Ends what is running. */
  stop(): void;
}
