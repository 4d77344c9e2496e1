import type { Param, Raw } from '#server/data/raw.ts';
import { findRow, insertRow, lockRow } from '#server/data/row.ts';
import type { PluginCalls, PluginPackages, PluginUploads } from '#server/data/schema.ts';
import type {
  Granted,
  PackageRow,
  PluginCall,
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
const SAVE = `INSERT INTO plugin_packages (identifier, installed_ms, storage_bytes, storage_keys, last_call, ${INSTALLED_COLUMNS.join(', ')})
  VALUES (?, ?, 0, 0, 0, ${INSTALLED_COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (identifier) DO UPDATE SET ${INSTALLED_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`;
/** What goes with a plugin. What it paid today stays counted: installed again, it has no second budget for the day. */
const OWN_TABLES = ['plugin_calls', 'plugin_tasks', 'plugin_storage', 'plugin_modules', 'plugin_packages', 'plugins'];
const TAKE_TASK = `INSERT INTO plugin_tasks (identifier, name, next_ms) VALUES (?, ?, ?)
  ON CONFLICT (identifier, name) DO UPDATE SET next_ms = excluded.next_ms WHERE plugin_tasks.next_ms <= ?`;

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
const toCall = (row: PluginCalls): PluginCall => ({
  number: row.number,
  group: row.hook_group,
  name: row.name,
  input: row.input,
  tries: row.tries,
  nextMs: row.next_ms,
});

/** Plugins of others in the database. */
export function createPluginPackagesRepo(raw: Raw): PluginPackagesRepo {
  return { ...packagesPart(raw), ...uploadsPart(raw), ...storagePart(raw), ...callsPart(raw) };
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

type CallsPart = Pick<
  PluginPackagesRepo,
  | 'backlog'
  | 'isTaskWaiting'
  | 'addCalls'
  | 'nextCalls'
  | 'endCalls'
  | 'delayCall'
  | 'clearCalls'
  | 'waiting'
  | 'takeTask'
>;
function callsPart(raw: Raw): CallsPart {
  return {
    async backlog(identifier) {
      const [row] = await raw.all<{ last_call: number; first: number | null }>(
        `SELECT last_call, (SELECT MIN(number) FROM plugin_calls c WHERE c.identifier = p.identifier) AS first
          FROM plugin_packages p WHERE identifier = ?`,
        [identifier],
      );
      return row?.first == null ? 0 : Number(row.last_call) - Number(row.first) + 1;
    },
    async isTaskWaiting(identifier, name) {
      const rows = await raw.all(
        "SELECT number FROM plugin_calls WHERE identifier = ? AND hook_group = 'tasks' AND name = ? LIMIT 1",
        [identifier, name],
      );
      return rows.length > 0;
    },
    async addCalls(identifier, calls, nowMs) {
      const [row] = await raw.all<{ last_call: number }>(
        'UPDATE plugin_packages SET last_call = last_call + ? WHERE identifier = ? RETURNING last_call',
        [calls.length, identifier],
      );
      if (!row || calls.length === 0) return;
      const first = Number(row.last_call) - calls.length + 1;
      await raw.run(
        `INSERT INTO plugin_calls (identifier, number, hook_group, name, input, tries, next_ms) VALUES ${calls
          .map(() => '(?, ?, ?, ?, ?, 0, ?)')
          .join(', ')}`,
        calls.flatMap(({ group, name, input }, index) => [identifier, first + index, group, name, input, nowMs]),
      );
    },
    async nextCalls(identifier, limit) {
      const rows = await raw.all<PluginCalls>(
        'SELECT * FROM plugin_calls WHERE identifier = ? ORDER BY number LIMIT ?',
        [identifier, limit],
      );
      return rows.map(toCall);
    },
    async endCalls(identifier, numbers) {
      if (numbers.length === 0) return;
      await raw.run(
        `DELETE FROM plugin_calls WHERE identifier = ? AND number IN (${numbers.map(() => '?').join(', ')})`,
        [identifier, ...numbers],
      );
    },
    async delayCall(identifier, number, nextMs) {
      await raw.run('UPDATE plugin_calls SET tries = tries + 1, next_ms = ? WHERE identifier = ? AND number = ?', [
        nextMs,
        identifier,
        number,
      ]);
    },
    async clearCalls(identifier) {
      await raw.run('DELETE FROM plugin_calls WHERE identifier = ?', [identifier]);
    },
    async waiting() {
      const rows = await raw.all<{ identifier: string }>(
        'SELECT identifier FROM plugin_packages p WHERE EXISTS (SELECT 1 FROM plugin_calls c WHERE c.identifier = p.identifier)',
      );
      return rows.map(({ identifier }) => identifier);
    },
    async takeTask(identifier, name, nowMs, nextMs) {
      return (await raw.run(TAKE_TASK, [identifier, name, nextMs, nowMs])).changes === 1;
    },
  };
}
