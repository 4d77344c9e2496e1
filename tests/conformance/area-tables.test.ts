import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { RESOURCES } from '#shared/resources/index.ts';
import type { AnyResource, Store } from '#shared/resources/types.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';

interface LiveColumn {
  readonly name: string;
  readonly type: 'text' | 'integer';
  readonly nullable: boolean;
}
const COMMON: readonly LiveColumn[] = [
  { name: 'id', type: 'text', nullable: false },
  { name: 'created_ms', type: 'integer', nullable: false },
  { name: 'updated_ms', type: 'integer', nullable: false },
];
const sorted = (columns: readonly LiveColumn[]) => columns.toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** The columns that a definition asks for. */
const described = ({ storage, hidden }: AnyResource): readonly LiveColumn[] =>
  sorted([
    ...COMMON,
    ...Object.entries<Store>({ ...storage, ...hidden }).flatMap(
      ([field, { type, column = field, nullable, derived }]) =>
        derived
          ? []
          : [
              {
                name: column,
                type: ['int', 'bit', 'ms'].includes(type) ? ('integer' as const) : ('text' as const),
                nullable: nullable === true,
              },
            ],
    ),
  ]);

describe.each(ENGINES)('the tables of the admin areas on %s', (engine) => {
  let db: TestDb;
  beforeAll(async () => {
    db = await openTestDb(engine);
  });
  afterAll(() => db.close());

  /** The columns that the migrations made. */
  async function live(table: string): Promise<readonly LiveColumn[]> {
    if (engine === 'sqlite') {
      const rows = await db.sql<{ name: string; type: string; notnull: number }>(
        `SELECT name, type, "notnull" FROM pragma_table_info('${table}')`,
      );
      return rows.map(({ name, type, notnull }) => ({
        name,
        type: type === 'INTEGER' ? 'integer' : 'text',
        nullable: notnull === 0,
      }));
    }
    const rows = await db.sql<{ name: string; type: string; nullable: string }>(
      'SELECT column_name AS name, data_type AS type, is_nullable AS nullable FROM information_schema.columns WHERE table_name = ? AND table_schema = current_schema()',
      [table],
    );
    return rows.map(({ name, type, nullable }) => ({
      name,
      type: type === 'bigint' ? 'integer' : 'text',
      nullable: nullable === 'YES',
    }));
  }

  test.each(Object.values<AnyResource>(RESOURCES).map((definition) => [definition.table, definition] as const))(
    'the table %s has exactly the columns that its description says',
    async (table, definition) => {
      expect(sorted(await live(table))).toEqual([...described(definition)]);
    },
  );
});
