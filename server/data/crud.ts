import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { CrudQuery, CrudRepo, CrudStore, CrudValues } from '#server/modules/crud/ports.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import type { StoredType } from '#shared/resources/types.ts';
import { iso } from '#shared/time.ts';
import type { DB } from './schema.ts';
import { TABLES } from './tables/index.ts';
import type { ColumnMap, StoredColumn, TableMap } from './tables/map.ts';

/**
 * The rows of every admin area in the database. Names of columns come from the maps, values are always bound (attacks
 * T53).
 */
export function createCrudRepo(db: Kysely<DB>): CrudRepo {
  return { area: (name) => storeOf(db, TABLES[name]) };
}

function storeOf(db: Kysely<DB>, map: TableMap): CrudStore {
  const table = sql.table(map.table);
  async function rows(query: CrudQuery): Promise<CrudValues[]> {
    const found = await sql<
      Record<string, unknown>
    >`select ${fields(map, query.nowMs)} from ${table} ${conditions(map, query)}
      order by ${order(map, query)} limit ${query.limit} offset ${query.offset}`.execute(db);
    return found.rows.map((row) => toRow(map, row));
  }
  return {
    rows,
    async list(query) {
      const [counted] = (
        await sql<{ n: number }>`select count(*) as n from ${table} ${conditions(map, query)}`.execute(db)
      ).rows;
      return { rows: await rows(query), total: counted?.n ?? 0 };
    },
    async find(id, nowMs) {
      const [row] = (
        await sql<Record<string, unknown>>`select ${fields(map, nowMs)} from ${table} where id = ${id}`.execute(db)
      ).rows;
      return row ? toRow(map, row) : null;
    },
    async insert(values) {
      await assertUnique(db, map, values, null);
      const stored = toColumns(map, values);
      const columns = sql.join(stored.map(([column]) => sql.ref(column)));
      await translateConflict(map, () =>
        sql`insert into ${table} (${columns}) values (${sql.join(stored.map(([, value]) => value))})`.execute(db),
      );
    },
    async update(id, seen, values) {
      await assertUnique(db, map, values, id);
      const set = sql.join(toColumns(map, values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
      const run = () =>
        sql`update ${table} set ${set} where id = ${id} and updated_ms = ${Date.parse(seen)} returning id`.execute(db);
      return (await translateConflict(map, run)).rows.length > 0;
    },
    async lock(id) {
      // An update that changes nothing takes the row lock on PostgreSQL; SQLite has one writer anyway.
      return (
        (await sql`update ${table} set updated_ms = updated_ms where id = ${id} returning id`.execute(db)).rows.length >
        0
      );
    },
    async remove(id) {
      return (
        (await translateConflict(map, () => sql`delete from ${table} where id = ${id} returning id`.execute(db))).rows
          .length > 0
      );
    },
    async dependants(id) {
      const kinds = Object.entries(map.dependants);
      if (kinds.length === 0) return {};
      const counts = sql.join(kinds.map(([kind, count]) => sql`${count(id)} as ${sql.ref(kind)}`));
      return (await sql<Record<string, number>>`select ${counts}`.execute(db)).rows[0] ?? {};
    },
  };
}

/** A field as an expression. Throws for a name that the map does not have, which is a fault of ours. */
function expression(map: TableMap, field: string, nowMs: number): RawBuilder<unknown> {
  const column = columnOf(map, field);
  return 'derive' in column ? sql`(${column.derive(nowMs)})` : sql.ref(`${map.table}.${column.column}`);
}

function columnOf(map: TableMap, field: string): ColumnMap {
  const column = Object.hasOwn(map.columns, field)
    ? map.columns[field]
    : Object.hasOwn(map.hidden, field)
      ? map.hidden[field]
      : undefined;
  if (!column) throw new Error(`${map.table} has no field ${field}`);
  return column;
}

function fields(map: TableMap, nowMs: number): RawBuilder<unknown> {
  return sql.join(Object.keys(map.columns).map((field) => sql`${expression(map, field, nowMs)} as ${sql.ref(field)}`));
}

/** `where …` of a search and its filters. */
function conditions(map: TableMap, { search, filters, nowMs }: CrudQuery): RawBuilder<unknown> {
  const all = Object.entries(filters).map(
    ([field, value]) => sql`${expression(map, field, nowMs)} = ${toStored(columnOf(map, field).type, value)}`,
  );
  if (search && search.text !== '') {
    const pattern = `%${search.text.replaceAll(/[!%_]/g, '!$&')}%`;
    all.push(
      sql`(${sql.join(
        search.fields.map((field) => sql`lower(${expression(map, field, nowMs)}) like lower(${pattern}) escape '!'`),
        sql` or `,
      )})`,
    );
  }
  return all.length === 0 ? sql`` : sql`where ${sql.join(all, sql` and `)}`;
}

/** The order asked for, then by position and id, so that pages never overlap. Rows without a value come last. */
function order(map: TableMap, { sort, nowMs }: CrudQuery): RawBuilder<unknown> {
  const direction = sort.dir === 'desc' ? sql`desc` : sql`asc`;
  const { type, nullable } = columnOf(map, sort.field);
  const plain = expression(map, sort.field, nowMs);
  const position =
    map.columns.position && sort.field !== 'position' ? sql`${expression(map, 'position', nowMs)}, ` : sql``;
  const filled = nullable ? sql`(case when ${plain} is null then 1 else 0 end), ` : sql``;
  return sql`${filled}${type === 'name' ? sql`lower(${plain})` : plain} ${direction}, ${position}id ${direction}`;
}

function toRow(map: TableMap, row: Readonly<Record<string, unknown>>): CrudValues {
  return Object.fromEntries(
    Object.entries(map.columns).map(([field, { type }]) => [field, fromStored(type, row[field] ?? null)]),
  );
}

function fromStored(type: StoredType, value: unknown): unknown {
  if (type === 'bit') return value === 1;
  if (type === 'ms') return typeof value === 'number' ? iso(value) : null;
  return type === 'json' ? JSON.parse(String(value)) : value;
}

/** Columns and what is bound to them. Only stored columns can be written. */
function toColumns(map: TableMap, values: CrudValues): [string, unknown][] {
  return Object.entries(values).map(([field, value]) => {
    const column: ColumnMap | StoredColumn = columnOf(map, field);
    if ('derive' in column) throw new Error(`${map.table}.${field} is worked out, not written`);
    return [column.column, toStored(column.type, value)];
  });
}

function toStored(type: StoredType, value: unknown): unknown {
  if (value === null) return null;
  if (type === 'bit') return value === true || value === 'true' ? 1 : 0;
  if (type === 'ms') return typeof value === 'string' ? Date.parse(value) : value;
  return type === 'json' ? JSON.stringify(value) : value;
}

/** Refuses values that another row has already, at the field that is to blame. */
async function assertUnique(db: Kysely<DB>, map: TableMap, values: CrudValues, own: string | null): Promise<void> {
  for (const { fields: together, field, code } of map.unique) {
    if (!together.every((name) => Object.hasOwn(values, name))) continue;
    const equal = together.map((name) => {
      const { type } = columnOf(map, name);
      const [left, right] = [expression(map, name, 0), sql`${toStored(type, values[name])}`];
      return type === 'name' ? sql`lower(${left}) = lower(${right})` : sql`${left} = ${right}`;
    });
    const others = own === null ? sql`` : sql` and id <> ${own}`;
    const found =
      await sql`select id from ${sql.table(map.table)} where ${sql.join(equal, sql` and `)}${others} limit 1`.execute(
        db,
      );
    if (found.rows.length > 0) throw fieldError(field, code);
  }
}

/**
 * Runs a statement, and throws what the database refused as an error of ours: a value it has already, a row still
 * needed.
 */
async function translateConflict<T>(map: TableMap, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const text = String(error);
    const [first] = map.unique;
    if (first && /UNIQUE constraint failed|duplicate key value/i.test(text)) throw fieldError(first.field, first.code);
    if (/FOREIGN KEY constraint failed|violates foreign key/i.test(text)) throw new DomainError('IN_USE');
    throw error;
  }
}
