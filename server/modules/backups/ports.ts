import type { BackupFaultCode, BackupKind, BackupStep } from '#shared/backups.ts';

/** A backup in the folder. `facts` is null where the file was put there by hand. */
export interface StoredBackup {
  readonly id: string;
  readonly kind: BackupKind;
  readonly atMs: number;
  readonly bytes: number;
  readonly facts: {
    readonly users: number;
    readonly servers: number;
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

/** Does what takes long in a process of its own. Nothing here rejects. */
export interface BackupWorker {
  create(kind: BackupKind, onStep: OnStep): Promise<Outcome<{ readonly id: string; readonly bytes: number }>>;
  verify(id: string, onStep: OnStep): Promise<Outcome<unknown>>;
  /** The first half of a restore, beside the running installation. */
  stage(id: string, onStep: OnStep): Promise<Outcome<unknown>>;
  /** The second half: this installation is closed for it and opened again. */
  replace(id: string, onStep: OnStep): Promise<Outcome<unknown>>;
  /** Ends what is running. */
  stop(): void;
}
