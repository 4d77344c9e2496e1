import { openDump, readDump } from './dump.ts';
import { NoDump } from './dump-tokens.ts';
import type { SourceSpec, SourceTables } from './model.ts';
import type { Staging } from './staging.ts';
import { decodeBytes, type TextFaults } from './text.ts';

/** What was read, and what of it was not as it should be. */
interface ReadFacts {
  /** Rows by table of the source; tables that it does not have are left out. */
  readonly tables: Readonly<Record<string, number>>;
  /** Rows with more or fewer values than their table has columns: left out. */
  readonly broken: number;
}

/**
 * Reads the tables of a source from a dump into the working file. `columnsOf`: every table that the dump has. Throws
 * NoDump.
 */
export async function readDumpInto(
  staging: Staging,
  spec: SourceSpec,
  path: string,
  { faults, onBytes }: { readonly faults: TextFaults; readonly onBytes: (bytes: number) => void },
): Promise<ReadFacts & { readonly columnsOf: SourceTables }> {
  const columnsOf = new Map<string, ReadonlyMap<string, string>>();
  const picks = new Map<string, { readonly width: number; readonly indexes: number[]; readonly names: string[] }>();
  const tables: Record<string, number> = {};
  let broken = 0;
  staging.begin(spec);
  await readDump(openDump(path), {
    table: (name, columns) => void columnsOf.set(name, columns),
    wants: (table) => Object.hasOwn(spec.tables, table),
    row: (table, values, named) => {
      const columns = named ?? [...(columnsOf.get(table)?.keys() ?? [])];
      if (columns.length === 0) throw new NoDump(`the dump has rows of ${table}, but not its columns`);
      const key = `${table}:${named?.join() ?? ''}`;
      let pick = picks.get(key);
      if (!pick) {
        const names = (spec.tables[table] ?? []).filter((name) => columns.includes(name));
        pick = { width: columns.length, names, indexes: names.map((name) => columns.indexOf(name)) };
        picks.set(key, pick);
      }
      if (values.length !== pick.width) {
        broken += 1;
        return;
      }
      const row = pick.indexes.map((index) => {
        const value = values[index] ?? null;
        return value === null ? null : decodeBytes(value, faults);
      });
      staging.add(table, pick.names, row);
      tables[table] = (tables[table] ?? 0) + 1;
    },
    progress: onBytes,
  });
  staging.commit();
  return { tables, broken, columnsOf };
}
