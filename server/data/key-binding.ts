import type { Database } from './open.ts';

/**
 * What a database knows of the key that is given: `bound` to it, to `another`, or to none yet, with users that some key
 * served or without.
 */
type KeyBinding = 'bound' | 'another' | 'none with users' | 'none';

/** In: an up-to-date database and the name of the key. */
export function readKeyBinding(database: Pick<Database, 'read'>, keyName: string): Promise<KeyBinding> {
  return database.read(async ({ db }) => {
    const row = await db.selectFrom('installation').select('key_name').executeTakeFirst();
    if (row) return row.key_name === keyName ? 'bound' : 'another';
    return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) ? 'none with users' : 'none';
  });
}

/** Binds the database to a key, in place of the one before. */
export function bindKey(database: Pick<Database, 'write'>, keyName: string): Promise<void> {
  return database.write(async ({ db }) => {
    await db
      .insertInto('installation')
      .values({ id: 1, key_name: keyName })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ key_name: keyName }))
      .execute();
  });
}
