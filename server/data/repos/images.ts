import { alongIndex, type Param, type Raw } from '#server/data/raw.ts';
import { findRow, insertRow, lockRow } from '#server/data/row.ts';
import { holding, OBJECT_COLUMNS, toNameKey, toObject, type ObjectRow } from './image-objects.ts';
import { createLibraryPart } from './library-images.ts';
import type { HostedImage, ImagesRepo, LibraryQuery, UploadKey } from '#server/modules/images/ports.ts';
import type { ImageOrder } from '#shared/images.ts';

interface ImageRow extends ObjectRow {
  id: string;
  user_id: string;
  name: string;
  price: number;
  views: number;
  hidden_ms: number | null;
  created_ms: number;
}

const toImage = (row: ImageRow): HostedImage => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  price: row.price,
  views: row.views,
  hiddenMs: row.hidden_ms,
  createdMs: row.created_ms,
  object: toObject(row),
});

const WHOLE = `SELECT i.id, i.user_id, i.name, i.price, i.views, i.hidden_ms, i.created_ms, ${OBJECT_COLUMNS}`;
const OBJECT = 'JOIN image_objects o ON o.hash = i.hash';
/** What each order of a library goes by. */
const ORDERED_BY: Readonly<Record<ImageOrder, string>> = { newest: 'created_ms', largest: 'bytes', views: 'views' };

/** Images of users in the database. */
export function createImagesRepo(raw: Raw): ImagesRepo {
  return {
    ...objectsPart(raw),
    ...imagesPart(raw),
    ...listsPart(raw),
    ...countersPart(raw),
    ...ownersPart(raw),
    ...createLibraryPart(raw),
    ...blocksPart(raw),
  };
}

type Objects = 'lockObject' | 'addObject' | 'touchObject' | 'listUnused' | 'removeObject';
function objectsPart(raw: Raw): Pick<ImagesRepo, Objects> {
  const unused = `NOT EXISTS (SELECT 1 FROM images i WHERE i.hash = o.hash)
    AND NOT EXISTS (SELECT 1 FROM library_images l WHERE l.hash = o.hash)`;
  return {
    async lockObject(hash) {
      const row = await lockRow(raw, 'image_objects', { hash });
      return row ? toObject({ ...row, object_bytes: row.bytes }) : null;
    },
    async addObject({ hash, key, store, type, width, height, bytes, bytesAll }, nowMs) {
      await raw.run(
        `INSERT INTO image_objects (hash, key, store, type, width, height, bytes, bytes_all, used_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (hash) DO NOTHING`,
        [hash, key, store, type, width, height, bytes, bytesAll, nowMs],
      );
    },
    async touchObject(hash, nowMs) {
      await raw.run('UPDATE image_objects SET used_ms = ? WHERE hash = ?', [nowMs, hash]);
    },
    async listUnused(beforeMs, limit) {
      const rows = await raw.all<{ hash: string }>(
        `SELECT o.hash FROM image_objects o${alongIndex(raw, 'image_objects_used')}
         WHERE o.used_ms < ? AND ${unused} ORDER BY o.used_ms, o.hash LIMIT ?`,
        [beforeMs, limit],
      );
      return rows.map(({ hash }) => hash);
    },
    async removeObject(hash, beforeMs) {
      const sql = `DELETE FROM image_objects AS o WHERE o.hash = ? AND o.used_ms < ? AND ${unused}`;
      return (await raw.run(sql, [hash, beforeMs])).changes > 0;
    },
  };
}

type Single = 'add' | 'find' | 'lock' | 'findByUpload' | 'remove' | 'setHidden';
function imagesPart(raw: Raw): Pick<ImagesRepo, Single> {
  const find = async (condition: string, params: readonly Param[]): Promise<HostedImage | null> => {
    const row = await raw.one<ImageRow>(`${WHOLE} FROM images i ${OBJECT} WHERE ${condition}`, params);
    return row ? toImage(row) : null;
  };
  return {
    add: (image) =>
      insertRow(raw, 'images', {
        id: image.id,
        user_id: image.userId,
        upload_id: image.uploadId,
        hash: image.hash,
        name: image.name,
        name_key: toNameKey(image.name),
        bytes: image.bytes,
        price: image.price,
        views: 0,
        hidden_ms: null,
        created_ms: image.createdMs,
      }),
    find: (id) => find('i.id = ?', [id]),
    lock: async (id) => ((await lockRow(raw, 'images', { id })) ? find('i.id = ?', [id]) : null),
    findByUpload: (userId, uploadId) => find('i.user_id = ? AND i.upload_id = ?', [userId, uploadId]),
    async remove(id) {
      await raw.run('DELETE FROM images WHERE id = ?', [id]);
    },
    async setHidden(id, hiddenMs) {
      await raw.run('UPDATE images SET hidden_ms = ? WHERE id = ?', [hiddenMs, id]);
    },
  };
}

type Blocks = 'isBlocked' | 'block' | 'unblock' | 'listToClear' | 'setCleared' | 'listOfContent';
function blocksPart(raw: Raw): Pick<ImagesRepo, Blocks> {
  return {
    isBlocked: async (hash) => (await findRow(raw, 'image_blocks', { hash })) !== undefined,
    async block(hash, nowMs) {
      await raw.run(
        'INSERT INTO image_blocks (hash, created_ms, cleared) VALUES (?, ?, 0) ON CONFLICT (hash) DO UPDATE SET cleared = 0',
        [hash, nowMs],
      );
    },
    unblock: async (hash) => (await raw.run('DELETE FROM image_blocks WHERE hash = ?', [hash])).changes > 0,
    async listToClear(limit) {
      const rows = await raw.all<{ hash: string }>(
        `SELECT hash FROM image_blocks${alongIndex(raw, 'image_blocks_to_clear')} WHERE cleared = 0
         ORDER BY created_ms LIMIT ?`,
        [limit],
      );
      return rows.map(({ hash }) => hash);
    },
    async setCleared(hash) {
      await raw.run('UPDATE image_blocks SET cleared = 1 WHERE hash = ?', [hash]);
    },
    async listOfContent(hash, limit) {
      const rows = await raw.all<{ id: string; user_id: string }>(
        `SELECT id, user_id FROM images${alongIndex(raw, 'images_of_object')} WHERE hash = ? LIMIT ?`,
        [hash, limit],
      );
      return rows.map(({ id, user_id: userId }) => ({ id, userId }));
    },
  };
}

function libraryStatement(raw: Raw, { order, search, after }: LibraryQuery): string {
  const by = ORDERED_BY[order];
  const conditions = ['user_id = ?'];
  if (search !== '') conditions.push("name_key LIKE ? ESCAPE '!'");
  if (after) conditions.push(`(${by}, id) < (?, ?)`);
  return `SELECT * FROM images${alongIndex(raw, 'images_of_user')} WHERE ${conditions.join(' AND ')}
    ORDER BY ${by} DESC, id DESC LIMIT ?`;
}

function listsPart(raw: Raw): Pick<ImagesRepo, 'list' | 'listAll' | 'countSince'> {
  return {
    async list(userId, query) {
      const { order, search, after, limit } = query;
      const rows = await raw.all<ImageRow>(
        `${WHOLE} FROM (${libraryStatement(raw, query)}) AS i ${OBJECT} ORDER BY i.${ORDERED_BY[order]} DESC, i.id DESC`,
        [userId, ...(search === '' ? [] : [holding(search)]), ...(after ? [after.value, after.id] : []), limit],
      );
      return rows.map(toImage);
    },
    async listAll(userId, after, limit) {
      const rows = await raw.all<ImageRow>(
        `${WHOLE} FROM images i${alongIndex(raw, 'images_of_user')} ${OBJECT} WHERE i.user_id = ?${
          after ? ' AND (i.created_ms, i.id) > (?, ?)' : ''
        } ORDER BY i.created_ms, i.id LIMIT ?`,
        [userId, ...(after ? [after.createdMs, after.id] : []), limit],
      );
      return rows.map(toImage);
    },
    async countSince(userId, sinceMs, most) {
      const row = await raw.one<{ n: number }>(
        `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM images${alongIndex(raw, 'images_of_user')}
         WHERE user_id = ? AND created_ms > ? LIMIT ?) AS found`,
        [userId, sinceMs, most],
      );
      return Number(row?.n ?? 0);
    },
  };
}

type Counters = 'usage' | 'addUsage' | 'addViews' | 'trafficOf' | 'addTraffic' | 'removeTrafficBefore';
function countersPart(raw: Raw): Pick<ImagesRepo, Counters> {
  return {
    async usage(userId) {
      const row = await findRow(raw, 'image_usage', { user_id: userId });
      return { images: row?.images ?? 0, bytes: row?.bytes ?? 0 };
    },
    async addUsage(userId, { images, bytes }) {
      const changed = await raw.run('UPDATE image_usage SET images = images + ?, bytes = bytes + ? WHERE user_id = ?', [
        images,
        bytes,
        userId,
      ]);
      if (changed.changes === 0) await insertRow(raw, 'image_usage', { user_id: userId, images, bytes });
    },
    async addViews(id, views) {
      await raw.run('UPDATE images SET views = views + ? WHERE id = ?', [views, id]);
    },
    trafficOf: async (userId, day) => (await findRow(raw, 'image_traffic', { user_id: userId, day }))?.bytes ?? 0,
    async addTraffic(userId, day, bytes) {
      const row = await raw.one<{ bytes: number }>(
        `INSERT INTO image_traffic (user_id, day, bytes) VALUES (?, ?, ?)
         ON CONFLICT (user_id, day) DO UPDATE SET bytes = image_traffic.bytes + excluded.bytes RETURNING bytes`,
        [userId, day, bytes],
      );
      return row?.bytes ?? bytes;
    },
    async removeTrafficBefore(day) {
      await raw.run('DELETE FROM image_traffic WHERE day < ?', [day]);
    },
  };
}

const toUploadKey = (row: {
  user_id: string;
  tail: string;
  created_ms: number;
  used_ms: number | null;
}): UploadKey => ({
  userId: row.user_id,
  tail: row.tail,
  createdMs: row.created_ms,
  usedMs: row.used_ms,
});

type Owners = 'findKey' | 'keyOf' | 'putKey' | 'removeKey' | 'setKeyUsed' | 'embedOf' | 'putEmbed';
function ownersPart(raw: Raw): Pick<ImagesRepo, Owners> {
  return {
    async findKey(keyHash) {
      const row = await findRow(raw, 'image_keys', { key_hash: keyHash });
      return row ? toUploadKey(row) : null;
    },
    async keyOf(userId) {
      const row = await findRow(raw, 'image_keys', { user_id: userId });
      return row ? toUploadKey(row) : null;
    },
    async putKey({ userId, keyHash, tail, createdMs }) {
      await raw.run(
        `INSERT INTO image_keys (user_id, key_hash, tail, created_ms, used_ms) VALUES (?, ?, ?, ?, NULL)
         ON CONFLICT (user_id) DO UPDATE SET key_hash = excluded.key_hash, tail = excluded.tail,
           created_ms = excluded.created_ms, used_ms = NULL`,
        [userId, keyHash, tail, createdMs],
      );
    },
    removeKey: async (userId) => (await raw.run('DELETE FROM image_keys WHERE user_id = ?', [userId])).changes > 0,
    async setKeyUsed(userId, nowMs) {
      await raw.run('UPDATE image_keys SET used_ms = ? WHERE user_id = ?', [nowMs, userId]);
    },
    async embedOf(userId) {
      const row = await findRow(raw, 'image_embeds', { user_id: userId });
      if (!row) return null;
      const { enabled, title, description, author, color } = row;
      return { enabled: enabled === 1, title, description, author, color };
    },
    async putEmbed(userId, { enabled, title, description, author, color }) {
      await raw.run(
        `INSERT INTO image_embeds (user_id, enabled, title, description, author, color) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (user_id) DO UPDATE SET enabled = excluded.enabled, title = excluded.title,
           description = excluded.description, author = excluded.author, color = excluded.color`,
        [userId, enabled ? 1 : 0, title, description, author, color],
      );
    },
  };
}
