import { alongIndex, type Raw } from '#server/data/raw.ts';
import { insertRow } from '#server/data/row.ts';
import type { ImagesRepo, LibraryImage } from '#server/modules/images/ports.ts';
import { holding, OBJECT_COLUMNS, toObject, type ObjectRow } from './image-objects.ts';

interface LibraryRow extends ObjectRow {
  id: string;
  name: string;
  username: string | null;
  created_ms: number;
}
const toLibrary = (row: LibraryRow): LibraryImage => ({
  id: row.id,
  name: row.name,
  by: row.username,
  createdMs: row.created_ms,
  object: toObject(row),
});

type Library = 'listLibrary' | 'findLibrary' | 'addLibrary' | 'renameLibrary' | 'removeLibrary';
/** Pictures of the host's own in the database. */
export function createLibraryPart(raw: Raw): Pick<ImagesRepo, Library> {
  const whole = `SELECT l.id, l.name, u.username, l.created_ms, ${OBJECT_COLUMNS}`;
  const joined = `JOIN image_objects o ON o.hash = l.hash LEFT JOIN users u ON u.id = l.created_by AND u.status <> 'deleted'`;
  return {
    async listLibrary({ search, after, limit }) {
      const conditions = [
        ...(search === '' ? [] : ["LOWER(name) LIKE ? ESCAPE '!'"]),
        ...(after ? ['(created_ms, id) < (?, ?)'] : []),
      ];
      const rows = await raw.all<LibraryRow>(
        `${whole} FROM (SELECT * FROM library_images${alongIndex(raw, 'library_images_list')}
         ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
         ORDER BY created_ms DESC, id DESC LIMIT ?) AS l ${joined} ORDER BY l.created_ms DESC, l.id DESC`,
        [...(search === '' ? [] : [holding(search)]), ...(after ? [after.value, after.id] : []), limit],
      );
      return rows.map(toLibrary);
    },
    async findLibrary(id) {
      const row = await raw.one<LibraryRow>(`${whole} FROM library_images l ${joined} WHERE l.id = ?`, [id]);
      return row ? toLibrary(row) : null;
    },
    addLibrary: ({ id, hash, name, createdBy, createdMs }) =>
      insertRow(raw, 'library_images', { id, hash, name, created_by: createdBy, created_ms: createdMs }),
    renameLibrary: async (id, name) =>
      (await raw.run('UPDATE library_images SET name = ? WHERE id = ?', [name, id])).changes > 0,
    removeLibrary: async (id) => (await raw.run('DELETE FROM library_images WHERE id = ?', [id])).changes > 0,
  };
}
