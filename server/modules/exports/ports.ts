/** An export of a user's data: `ready` ones hold the archive until they expire. */
export interface DataExport {
  readonly userId: string;
  readonly id: string;
  readonly state: 'working' | 'ready' | 'failed';
  readonly requestedMs: number;
  readonly expiresMs: number | null;
  /** Bytes of the archive; null while there is none. */
  readonly size: number | null;
}
/** A row as the database has it: times end in `_ms`. */
export type ExportedRow = Readonly<Record<string, string | number | null>>;

/** Exports of users' data in the database: one a user. */
export interface ExportsRepo {
  find(userId: string): Promise<DataExport | null>;
  /** Begins an export in the place of an earlier one. */
  begin(userId: string, id: string, atMs: number): Promise<void>;
  /** Stores the archive (base64) of an export; false where another one, or none, is in its place. */
  finish(userId: string, id: string, archive: { base64: string; size: number }, expiresMs: number): Promise<boolean>;
  fail(userId: string, id: string, atMs: number): Promise<void>;
  /** The archive (base64) of an export that is ready and has not expired. */
  archive(userId: string, nowMs: number): Promise<{ id: string; base64: string } | null>;
  /** Deletes what has expired. */
  purge(nowMs: number): Promise<void>;
  /** Everything we keep about a user by section, but for the statement; rows of a section in the order of time. */
  sections(userId: string): Promise<Readonly<Record<string, readonly ExportedRow[]>>>;
}
