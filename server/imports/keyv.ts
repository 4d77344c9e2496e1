import { Database } from 'bun:sqlite';
import { ImportFault } from './fault.ts';
import type { SourceSpec, SourceTables } from './model.ts';
import { HELIACTYL_KEYS } from './sources/heliactyl.ts';
import type { Staging } from './staging.ts';

/** Longest value that is read: everything about one user is far shorter. */
const VALUE_MAX = 1 << 20;

/**
 * Reads the keys of a keyv store, a SQLite file, into the working file, without its prefix. The store is opened read
 * only. Throws ImportFault `not_readable`, `other_product`.
 */
export function readKeyvInto(
  staging: Staging,
  spec: SourceSpec,
  path: string,
  onRows: (rows: number) => void,
): { tables: Record<string, number>; columnsOf: SourceTables } {
  let store: Database;
  let tables: Set<string>;
  try {
    store = new Database(path, { readonly: true, strict: true });
    tables = new Set(
      store
        .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
        .all()
        .map(({ name }) => name),
    );
  } catch (error) {
    throw new ImportFault(
      'not_readable',
      `This is no SQLite file: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  try {
    const table = ['keyv', 'heliactyl'].find((name) => tables.has(name));
    const columnsOf = new Map(
      table === undefined
        ? []
        : [
            [
              'keyv',
              new Map([
                ['key', 'text'],
                ['value', 'text'],
              ]),
            ] as const,
          ],
    );
    spec.assertIs(columnsOf);
    staging.begin(spec);
    let rows = 0;
    const found = store.query<{ key: string; value: string }, [number]>(
      `SELECT CAST(key AS TEXT) AS key, CAST(value AS TEXT) AS value FROM "${table}" WHERE length(value) <= ? ORDER BY rowid`,
    );
    for (const { key, value } of found.iterate(VALUE_MAX)) {
      const bare = key.replace(/^(keyv|heliactyl):/, '');
      if (!HELIACTYL_KEYS.some((prefix) => bare.startsWith(prefix))) continue;
      staging.add('keyv', ['key', 'value'], [bare, value]);
      rows += 1;
      if (rows % 10_000 === 0) onRows(rows);
    }
    staging.commit();
    return { tables: { keyv: rows }, columnsOf };
  } finally {
    store.close();
  }
}
