import { normaliseName } from '#shared/names.ts';
import type { CreatedCursor } from '#server/modules/export-steps.ts';
import type { Param, Raw } from '#server/data/raw.ts';
import { folded, ID, LAST } from './search-keys.ts';

/** Conditions of a question with their values. */
export class Where {
  readonly values: Param[] = [];
  private readonly parts: string[] = [];
  and(part: string, ...values: Param[]): this {
    this.parts.push(part);
    this.values.push(...values);
    return this;
  }
  get sql(): string {
    return this.parts.length === 0 ? '' : `WHERE ${this.parts.join(' AND ')}`;
  }
}

/**
 * A search over servers `s`: a whole id in one of these columns, otherwise the beginning of a name or an address of a
 * server, or of its owner's username. Each of them has an index.
 */
export function textWhere(where: Where, search: string | undefined, ids: readonly string[]): void {
  const text = search?.trim() ?? '';
  if (text === '') return;
  if (ID.test(text.toLowerCase())) {
    where.and(`(${ids.map((column) => `${column} = ?`).join(' OR ')})`, ...ids.map(() => text.toLowerCase()));
    return;
  }
  const [name, key] = [folded(text), normaliseName(text)];
  where.and(
    `((lower(s.name) >= ? AND lower(s.name) < ?) OR (s.address >= ? AND s.address < ?) OR s.user_id IN (SELECT id FROM users WHERE username_key >= ? AND username_key < ?))`,
    name,
    name + LAST,
    name,
    name + LAST,
    key,
    key + LAST,
  );
}

/** Rows behind a cursor, the newest first, and no more than so many. In: the alias of the table. Out: the end of SQL. */
export function createdPage(where: Where, table: 's' | 'q', after: CreatedCursor | null, limit: number) {
  if (after) where.and(`(${table}.created_ms, ${table}.id) < (?, ?)`, after.createdMs, after.id);
  const sql = `${where.sql} ORDER BY ${table}.created_ms DESC, ${table}.id DESC LIMIT ?`;
  return { sql, values: [...where.values, limit] };
}

export async function counted(raw: Raw, sql: string, values: readonly Param[]): Promise<number> {
  return (await raw.one<{ n: number }>(sql, values))?.n ?? 0;
}

/** Location and panel of a row. */
export function placed(row: {
  location_id: string;
  location_name: string | null;
  panel: string | null;
  panel_name: string | null;
}) {
  return {
    location: { id: row.location_id, name: row.location_name ?? '' },
    panel: row.panel === null ? null : { id: row.panel, name: row.panel_name ?? '' },
  };
}
