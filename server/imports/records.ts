import type { ImportKind, ImportReason } from '#shared/imports.ts';
import type { RecordKind, Records } from './model.ts';
import type { Staging } from './staging.ts';

/**
 * Where a record stands: `ready` it comes, `already` a run before brought it, `left` it does not come, `done` it has
 * come.
 */
export type RecordState = 'new' | 'ready' | 'already' | 'left' | 'done';

/** A record of the working file. */
export interface StoredRecord<T> {
  readonly seq: number;
  readonly id: string;
  readonly data: T;
}
interface Stored {
  readonly seq: number;
  readonly id: string;
  readonly data: string;
}
/** Records that are brought in one transaction: players of a running server wait for no more than some 50 ms of it. */
export const RECORD_BATCH = 50;

/** What the rows of a source come to, in its working file, and what there is to say of them. */
export class RecordStore {
  readonly staging: Staging;

  constructor(staging: Staging) {
    this.staging = staging;
  }
  /** Makes the tables, empty. */
  begin(): void {
    for (const table of ['records', 'notes', 'role_rights', 'panel_servers', 'panel_users'])
      this.staging.run(`DROP TABLE IF EXISTS ${table}`);
    this.staging
      .run(`CREATE TABLE records (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, data TEXT NOT NULL,
      state TEXT NOT NULL DEFAULT 'new', name_key TEXT, email_key TEXT, credits INTEGER NOT NULL DEFAULT 0, UNIQUE (kind, id))`);
    this.staging.run('CREATE INDEX records_by_state ON records (kind, state, seq)');
    this.staging.run('CREATE INDEX records_by_name ON records (name_key) WHERE name_key IS NOT NULL');
    this.staging.run('CREATE INDEX records_by_email ON records (email_key) WHERE email_key IS NOT NULL');
    this.staging.run(
      'CREATE TABLE notes (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, label TEXT NOT NULL, reason TEXT NOT NULL)',
    );
    this.staging.run('CREATE INDEX notes_by_reason ON notes (kind, reason, seq)');
    this.staging.run(
      'CREATE TABLE role_rights (role TEXT NOT NULL, permission TEXT NOT NULL, PRIMARY KEY (role, permission)) WITHOUT ROWID',
    );
    this.staging.run(
      'CREATE TABLE panel_servers (panel_id TEXT PRIMARY KEY, identifier TEXT, external_id TEXT, owner TEXT, name TEXT NOT NULL, suspended INTEGER NOT NULL)',
    );
    this.staging.run('CREATE INDEX panel_servers_by_external ON panel_servers (external_id)');
    this.staging.run('CREATE TABLE panel_users (id TEXT PRIMARY KEY, email TEXT NOT NULL, username TEXT NOT NULL)');
  }
  /** Adds a record. Out: false where the source has its id twice. */
  add<K extends RecordKind>(kind: K, id: string, data: Records[K]): boolean {
    this.staging.batch();
    const { changes } = this.staging.db
      .query('INSERT INTO records (kind, id, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
      .run(kind, id, JSON.stringify(data));
    return changes > 0;
  }
  note(kind: ImportKind, id: string, label: string, reason: ImportReason): void {
    this.staging.batch();
    this.staging.run(
      'INSERT INTO notes (kind, id, label, reason) VALUES (?, ?, ?, ?)',
      kind,
      id,
      label.slice(0, 200),
      reason,
    );
  }
  /** Notes that a role of the source has a permission, in the source's words. */
  addRight(role: string, permission: string): void {
    this.staging.batch();
    this.staging.run(
      'INSERT INTO role_rights (role, permission) VALUES (?, ?) ON CONFLICT DO NOTHING',
      role,
      permission,
    );
  }
  /** Forgets what was said for these reasons: it is about to be said again. */
  forget(reasons: readonly ImportReason[]): void {
    for (const reason of reasons) this.staging.run('DELETE FROM notes WHERE reason = ?', reason);
  }
  /** Records of a kind and state after one, in the order of the source. */
  list<T>(kind: RecordKind, state: RecordState, after: number, limit = RECORD_BATCH): StoredRecord<T>[] {
    const rows = this.staging.db
      .query<Stored, [string, string, number, number]>(
        'SELECT seq, id, data FROM records WHERE kind = ? AND state = ? AND seq > ? ORDER BY seq LIMIT ?',
      )
      .all(kind, state, after, limit);
    return rows.map(({ seq, id, data }) => ({ seq, id, data: JSON.parse(data) as T }));
  }
  setState(seq: number, state: RecordState): void {
    this.staging.batch();
    this.staging.run('UPDATE records SET state = ? WHERE seq = ?', state, seq);
  }
  count(kind: RecordKind, state?: RecordState): number {
    const where = state === undefined ? '' : ' AND state = ?2';
    const row = this.staging.db
      .query<{ n: number }, string[]>(`SELECT COUNT(*) AS n FROM records WHERE kind = ?1${where}`)
      .get(...(state === undefined ? [kind] : [kind, state]));
    return row?.n ?? 0;
  }
  /** How often each thing was said. */
  countNotes(): { kind: ImportKind; reason: ImportReason; n: number }[] {
    return this.staging.db
      .query<{ kind: ImportKind; reason: ImportReason; n: number }, []>(
        'SELECT kind, reason, COUNT(*) AS n FROM notes GROUP BY kind, reason ORDER BY kind, reason',
      )
      .all();
  }
}
