import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { PicturesRepo } from '#server/modules/pictures/ports.ts';
import { PICTURE_KINDS } from '#shared/pictures.ts';

/** Pictures of the installation in the database. */
export function createPicturesRepo(db: Kysely<DB>): PicturesRepo {
  return {
    async add({ id, kind, createdMs, forms, libraryHash }) {
      await db
        .insertInto('pictures')
        .values({ id, kind, created_ms: createdMs, library_hash: libraryHash })
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet({ created_ms: createdMs, ...(libraryHash === null ? {} : { library_hash: libraryHash }) }),
        )
        .execute();
      await db
        .insertInto('picture_forms')
        .values(forms.map(({ bytes, ...form }) => ({ picture_id: id, ...form, bytes: bytes.toBase64() })))
        .onConflict((conflict) => conflict.columns(['picture_id', 'name']).doNothing())
        .execute();
    },
    async listOfLibrary(hash) {
      const rows = await db.selectFrom('pictures').select('id').where('library_hash', '=', hash).execute();
      return rows.map(({ id }) => id);
    },
    async kindOf(id) {
      const row = await db.selectFrom('pictures').select('kind').where('id', '=', id).executeTakeFirst();
      return PICTURE_KINDS.find((kind) => kind === row?.kind) ?? null;
    },
    async findForm(id, name) {
      const row = await db
        .selectFrom('picture_forms')
        .select(['type', 'bytes'])
        .where('picture_id', '=', id)
        .where('name', '=', name)
        .executeTakeFirst();
      return row ? { type: row.type, bytes: Uint8Array.fromBase64(row.bytes) } : null;
    },
    async sizesOf(ids) {
      const rows = await db
        .selectFrom('picture_forms')
        .select(['picture_id', 'name', 'width', 'height'])
        .where('picture_id', 'in', [...ids])
        .execute();
      return new Map(
        [...Map.groupBy(rows, ({ picture_id: id }) => id)].map(([id, forms]) => [
          id,
          Object.fromEntries(forms.map(({ name, width, height }) => [name, { width, height }])),
        ]),
      );
    },
    async list() {
      const rows = await db
        .selectFrom('pictures')
        .select(['id', 'created_ms'])
        .orderBy('created_ms', 'desc')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({ id: row.id, createdMs: row.created_ms }));
    },
    async remove(ids) {
      if (ids.length > 0)
        await db
          .deleteFrom('pictures')
          .where('id', 'in', [...ids])
          .execute();
    },
  };
}
