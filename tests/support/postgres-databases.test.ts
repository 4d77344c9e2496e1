import { SQL } from 'bun';
import { afterEach, expect, test } from 'bun:test';
import { templateDatabase } from './db.ts';
import { takeDatabase, type TakenDatabase } from './postgres-databases.ts';

const taken: TakenDatabase[] = [];
const take = async (): Promise<TakenDatabase> => {
  const database = await takeDatabase(await templateDatabase());
  taken.push(database);
  return database;
};
/** Runs a statement as somebody who never gives the database back. */
const run = async (database: TakenDatabase, text: string) => Array.from(await database.pool.unsafe(text));
/** Every row of every table, and how far its counters are. */
async function contentOf(database: TakenDatabase): Promise<unknown> {
  const sql = new SQL(database.where.url, { max: 1 });
  const tables = (await sql.unsafe(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  )) as {
    name: string;
  }[];
  const content: unknown[] = [await sql.unsafe('SELECT sequencename, last_value FROM pg_sequences ORDER BY 1')];
  for (const { name } of tables)
    content.push([name, await sql.unsafe(`SELECT to_jsonb(row) AS row FROM "${name}" AS row ORDER BY 1`)]);
  await sql.close();
  return JSON.parse(
    JSON.stringify(content, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  );
}

afterEach(async () => {
  for (const database of taken.splice(0)) {
    database.isShared = true;
    await database.remove();
  }
});

test('a database that is kept for the next test has the rows and counters of a new one', async () => {
  const first = await take();
  const fresh = await contentOf(first);
  await run(first, "INSERT INTO schedules (name, next_ms, last_ms, last_error) VALUES ('left', 0, NULL, NULL)");
  await run(first, "INSERT INTO embedded_users (external_id, username, email, created_ms) VALUES ('x', 'x', 'x', 0)");
  await run(first, 'UPDATE ticket_counter SET last = 7');
  await run(first, 'DELETE FROM store_items');
  expect(await contentOf(first)).not.toEqual(fresh);
  await first.remove();
  const next = await take();
  expect(next.where).toEqual(first.where);
  expect(await contentOf(next)).toEqual(fresh);
  // So that rows come in the order in which they were written, as in a new one.
  expect(await run(next, "SELECT pg_relation_size('embedded_users') AS bytes")).toEqual([{ bytes: 0n }]);
});

test('a database whose tables were changed, or that somebody else was connected to, is not kept', async () => {
  const changed = await take();
  await run(changed, 'ALTER TABLE schedules ADD COLUMN more TEXT');
  await changed.remove();
  const shared = await take();
  expect(shared.where).not.toEqual(changed.where);
  shared.isShared = true;
  await shared.remove();
  expect((await take()).where).not.toEqual(shared.where);
});
