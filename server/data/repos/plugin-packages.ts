import type { Param, Raw } from '#server/data/raw.ts';
import { findRow, insertRow, lockRow } from '#server/data/row.ts';
import type { PluginCursors, PluginPackages, PluginUploads } from '#server/data/schema.ts';
import type {
  Granted,
  PackageRow,
  PluginEvent,
  PluginPackagesRepo,
  StoppedCause,
  UploadRow,
} from '#server/modules/plugins/package-ports.ts';
import type { PluginManifest } from '#shared/plugin-manifest.ts';

const INSTALLED_COLUMNS = [
  'version',
  'manifest',
  'digest',
  'signer',
  'size',
  'granted',
  'granted_ms',
  'granted_by',
  'updated_ms',
  'stopped_cause',
  'stopped_text',
  'stopped_ms',
];
const SAVE = `INSERT INTO plugin_packages (identifier, installed_ms, storage_bytes, storage_keys, ${INSTALLED_COLUMNS.join(', ')})
  VALUES (?, ?, 0, 0, ${INSTALLED_COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (identifier) DO UPDATE SET ${INSTALLED_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`;
/** What goes with a plugin. What it paid today stays counted: installed again, it has no second budget for the day. */
const OWN_TABLES = ['plugin_cursors', 'plugin_tasks', 'plugin_storage', 'plugin_modules', 'plugin_packages', 'plugins'];
const TAKE_TASK = `INSERT INTO plugin_tasks (identifier, name, next_ms, due_ms, tries, retry_ms) VALUES (?, ?, ?, ?, 0, 0)
  ON CONFLICT (identifier, name) DO UPDATE SET next_ms = excluded.next_ms, due_ms = COALESCE(plugin_tasks.due_ms, excluded.due_ms)
  WHERE plugin_tasks.next_ms <= ?`;
/** Puts a cursor behind everything that there is; one that is there stays where it is. */
const ADD_CURSOR = `INSERT INTO plugin_cursors (identifier, heard, tries, next_ms)
  SELECT ?, COALESCE(MAX(number), 0), 0, 0 FROM plugin_events WHERE number > 0 ON CONFLICT (identifier) DO NOTHING`;
const MOVE = 'UPDATE plugin_cursors SET heard = ?, tries = 0, next_ms = 0 WHERE identifier = ? AND heard < ?';

// What stands in these columns was checked before it was written.
const toRow = (row: PluginPackages): PackageRow => ({
  identifier: row.identifier,
  manifest: JSON.parse(row.manifest) as PluginManifest,
  digest: row.digest,
  signer: row.signer,
  size: row.size,
  granted: JSON.parse(row.granted) as Granted,
  grantedMs: row.granted_ms,
  grantedBy: row.granted_by,
  installedMs: row.installed_ms,
  updatedMs: row.updated_ms,
  stopped:
    row.stopped_cause === null || row.stopped_ms === null
      ? null
      : { cause: row.stopped_cause as StoppedCause, text: row.stopped_text ?? '', atMs: row.stopped_ms },
});
const toUpload = (row: PluginUploads): UploadRow => ({
  id: row.id,
  manifest: JSON.parse(row.manifest) as PluginManifest,
  serverCode: row.server_code,
  clientCode: row.client_code,
  digest: row.digest,
  signer: row.signer,
  size: row.size,
  createdMs: row.created_ms,
});
/** Plugins of others in the database. */
export function createPluginPackagesRepo(raw: Raw): PluginPackagesRepo {
  return { ...packagesPart(raw), ...uploadsPart(raw), ...storagePart(raw), ...eventsPart(raw), ...tasksPart(raw) };
}

type PackagesPart = Pick<
  PluginPackagesRepo,
  'list' | 'find' | 'lock' | 'grantor' | 'modules' | 'save' | 'setStopped' | 'remove'
>;
function packagesPart(raw: Raw): PackagesPart {
  return {
    async list() {
      return (await raw.all<PluginPackages>('SELECT * FROM plugin_packages ORDER BY identifier')).map(toRow);
    },
    async find(identifier) {
      const row = await findRow(raw, 'plugin_packages', { identifier });
      return row ? toRow(row) : null;
    },
    async lock(identifier) {
      const row = await lockRow(raw, 'plugin_packages', { identifier });
      return row ? toRow(row) : null;
    },
    async grantor(identifier) {
      const [row] = await raw.all<{ username: string }>(
        'SELECT u.username FROM plugin_packages p JOIN users u ON u.id = p.granted_by WHERE p.identifier = ?',
        [identifier],
      );
      return row?.username ?? null;
    },
    async modules(identifier) {
      const row = await findRow(raw, 'plugin_modules', { identifier });
      return row ? { serverCode: row.server_code, clientCode: row.client_code } : null;
    },
    async save(row) {
      await raw.run(SAVE, [
        row.identifier,
        row.installedMs,
        row.manifest.version,
        JSON.stringify(row.manifest),
        row.digest,
        row.signer,
        row.size,
        JSON.stringify(row.granted),
        row.grantedMs,
        row.grantedBy,
        row.updatedMs,
        ...stoppedParams(row.stopped),
      ]);
      await raw.run('DELETE FROM plugin_modules WHERE identifier = ?', [row.identifier]);
      await insertRow(raw, 'plugin_modules', {
        identifier: row.identifier,
        server_code: row.serverCode,
        client_code: row.clientCode,
      });
      await raw.run(ADD_CURSOR, [row.identifier]);
    },
    async setStopped(identifier, stopped) {
      await raw.run(
        'UPDATE plugin_packages SET stopped_cause = ?, stopped_text = ?, stopped_ms = ? WHERE identifier = ?',
        [...stoppedParams(stopped), identifier],
      );
    },
    async remove(identifier) {
      for (const table of OWN_TABLES) await raw.run(`DELETE FROM ${table} WHERE identifier = ?`, [identifier]);
    },
  };
}
const stoppedParams = (stopped: PackageRow['stopped']): Param[] =>
  stopped ? [stopped.cause, stopped.text, stopped.atMs] : [null, null, null];

type UploadsPart = Pick<
  PluginPackagesRepo,
  'addUpload' | 'findUpload' | 'removeUpload' | 'purgeUploads' | 'findKey' | 'addKey'
>;
function uploadsPart(raw: Raw): UploadsPart {
  return {
    async addUpload(upload) {
      await insertRow(raw, 'plugin_uploads', {
        id: upload.id,
        manifest: JSON.stringify(upload.manifest),
        server_code: upload.serverCode,
        client_code: upload.clientCode,
        digest: upload.digest,
        signer: upload.signer,
        size: upload.size,
        created_ms: upload.createdMs,
      });
    },
    async findUpload(id) {
      const row = await findRow(raw, 'plugin_uploads', { id });
      return row ? toUpload(row) : null;
    },
    async removeUpload(id) {
      await raw.run('DELETE FROM plugin_uploads WHERE id = ?', [id]);
    },
    async purgeUploads(beforeMs) {
      await raw.run('DELETE FROM plugin_uploads WHERE created_ms < ?', [beforeMs]);
    },
    async findKey(publicKey) {
      const row = await findRow(raw, 'plugin_keys', { public_key: publicKey });
      return row ? { author: row.author, knownMs: row.known_ms } : null;
    },
    async addKey(publicKey, { author, knownMs }) {
      await raw.run(
        'INSERT INTO plugin_keys (public_key, author, known_ms) VALUES (?, ?, ?) ON CONFLICT (public_key) DO NOTHING',
        [publicKey, author, knownMs],
      );
    },
  };
}

type StoragePart = Pick<PluginPackagesRepo, 'getValue' | 'setValue' | 'deleteValue' | 'listNames'>;
function storagePart(raw: Raw): StoragePart {
  async function getValue(identifier: string, name: string): Promise<string | null> {
    return (await findRow(raw, 'plugin_storage', { identifier, name }))?.value ?? null;
  }
  const sizeOf = (name: string, value: string): number => Buffer.byteLength(name) + Buffer.byteLength(value);
  /** Counts what a plugin keeps; false, and nothing counted, where that would be more than it may. */
  async function count(identifier: string, bytes: number, keys: number, max?: { bytes: number; keys: number }) {
    const { changes } = await raw.run(
      `UPDATE plugin_packages SET storage_bytes = storage_bytes + ?, storage_keys = storage_keys + ? WHERE identifier = ?${
        max ? ' AND storage_bytes + ? <= ? AND storage_keys + ? <= ?' : ''
      }`,
      [bytes, keys, identifier, ...(max ? [bytes, max.bytes, keys, max.keys] : [])],
    );
    return changes === 1;
  }
  return {
    getValue,
    async setValue(identifier, name, value, max) {
      // What is counted and what is stored have to be the same for everybody who writes at this moment.
      if (!(await lockRow(raw, 'plugin_packages', { identifier }))) return false;
      const before = await getValue(identifier, name);
      const more = sizeOf(name, value) - (before === null ? 0 : sizeOf(name, before));
      if (!(await count(identifier, more, before === null ? 1 : 0, max))) return false;
      await raw.run(
        `INSERT INTO plugin_storage (identifier, name, value) VALUES (?, ?, ?)
          ON CONFLICT (identifier, name) DO UPDATE SET value = excluded.value`,
        [identifier, name, value],
      );
      return true;
    },
    async deleteValue(identifier, name) {
      await lockRow(raw, 'plugin_packages', { identifier });
      const before = await getValue(identifier, name);
      if (before === null) return;
      await raw.run('DELETE FROM plugin_storage WHERE identifier = ? AND name = ?', [identifier, name]);
      await count(identifier, -sizeOf(name, before), -1);
    },
    async listNames(identifier, prefix, after, limit) {
      const rows = await raw.all<{ name: string }>(
        `SELECT name FROM plugin_storage WHERE identifier = ? AND name > ? AND substr(name, 1, ?) = ?
          ORDER BY name LIMIT ?`,
        [identifier, after, prefix.length, prefix, limit],
      );
      return rows.map(({ name }) => name);
    },
  };
}

type EventsPart = Pick<
  PluginPackagesRepo,
  | 'addEvents'
  | 'lastEvent'
  | 'countBehind'
  | 'eventsBehind'
  | 'cursors'
  | 'moveCursor'
  | 'delayEvent'
  | 'skipAll'
  | 'purgeEvents'
>;
function eventsPart(raw: Raw): EventsPart {
  async function lastEvent(): Promise<number> {
    const [row] = await raw.all<{ last: number | null }>('SELECT MAX(number) AS last FROM plugin_events');
    return Number(row?.last ?? 0);
  }
  return {
    lastEvent,
    async addEvents(events) {
      // Two at once would take the same numbers: the later one fails, and is run again.
      const first = (await lastEvent()) + 1;
      await raw.run(
        `INSERT INTO plugin_events (number, event_id, name) VALUES ${events.map(() => '(?, ?, ?)').join(', ')}`,
        events.flatMap(({ id, name }, index) => [first + index, id, name]),
      );
    },
    async countBehind(heard) {
      const rows = await raw.all<{ name: string; n: number }>(
        'SELECT name, COUNT(*) AS n FROM plugin_events WHERE number > ? GROUP BY name',
        [heard],
      );
      return rows.map(({ name, n }) => ({ name, count: Number(n) }));
    },
    async eventsBehind(heard, limit) {
      return raw.all<PluginEvent>(
        `SELECT p.number, p.event_id AS id, p.name, e.body FROM plugin_events p JOIN webhook_events e ON e.id = p.event_id
          WHERE p.number > ? ORDER BY p.number LIMIT ?`,
        [heard, limit],
      );
    },
    async cursors() {
      const rows = await raw.all<PluginCursors>('SELECT * FROM plugin_cursors');
      return new Map(
        rows.map(({ identifier, heard, tries, next_ms: nextMs }) => [identifier, { heard, tries, nextMs }]),
      );
    },
    async moveCursor(identifier, heard) {
      await raw.run(MOVE, [heard, identifier, heard]);
    },
    async delayEvent(identifier, heard, nextMs) {
      await raw.run('UPDATE plugin_cursors SET tries = tries + 1, next_ms = ? WHERE identifier = ? AND heard = ?', [
        nextMs,
        identifier,
        heard,
      ]);
    },
    async skipAll(identifier) {
      const last = await lastEvent();
      await raw.run(MOVE, [last, identifier, last]);
      await raw.run('UPDATE plugin_tasks SET due_ms = NULL WHERE identifier = ?', [identifier]);
    },
    async purgeEvents(upTo) {
      // The last one stays: what comes is numbered behind it.
      await raw.run(
        'DELETE FROM plugin_events WHERE number <= ? AND number < (SELECT MAX(number) FROM plugin_events)',
        [upTo],
      );
    },
  };
}

type TasksPart = Pick<PluginPackagesRepo, 'dueTasks' | 'endTask' | 'delayTask' | 'takeTask'>;
function tasksPart(raw: Raw): TasksPart {
  return {
    async dueTasks(identifier) {
      const rows = await raw.all<{ name: string; due_ms: number; tries: number; retry_ms: number }>(
        'SELECT name, due_ms, tries, retry_ms FROM plugin_tasks WHERE identifier = ? AND due_ms IS NOT NULL ORDER BY due_ms, name',
        [identifier],
      );
      return rows.map(({ name, due_ms: dueMs, tries, retry_ms: nextMs }) => ({ name, dueMs, tries, nextMs }));
    },
    async endTask(identifier, name) {
      await raw.run(
        'UPDATE plugin_tasks SET due_ms = NULL, tries = 0, retry_ms = 0 WHERE identifier = ? AND name = ?',
        [identifier, name],
      );
    },
    async delayTask(identifier, name, nextMs) {
      await raw.run('UPDATE plugin_tasks SET tries = tries + 1, retry_ms = ? WHERE identifier = ? AND name = ?', [
        nextMs,
        identifier,
        name,
      ]);
    },
    async takeTask(identifier, name, nowMs, nextMs) {
      await raw.run(TAKE_TASK, [identifier, name, nextMs, nowMs, nowMs]);
    },
  };
}
