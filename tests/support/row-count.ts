import { inScope, newScope } from '#server/data/scope.ts';
import { openConnection } from '#server/data/sqlite-connection.ts';
import type { Tx, UnitOfWork } from '#server/modules/tx.ts';

/**
 * A unit of work for questions that counts every row SQLite looks at, by table: also those it then leaves out or adds
 * up.
 */
export interface CountingReader extends UnitOfWork {
  /** Rows looked at since the last time. */
  take(): Record<string, number>;
  close(): void;
}

/**
 * Opens a SQLite file with its tables behind views that count. A view's condition is asked of each row that the table's
 * cursor stops at; the planner looks through it, so that the indexes in use are those of the product.
 */
export function countingReader(path: string): CountingReader {
  const { database, session, gate, begin, end } = openConnection(path, 'reader');
  let seen: Record<string, number> = {};
  database.run('PRAGMA query_only=OFF');
  const tables = database
    .query<{ name: string }, []>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all();
  for (const { name } of tables) {
    const column = database.query<{ name: string }, []>(`PRAGMA table_info(${name})`).all()[0]?.name ?? '1';
    database.function(`seen_${name}`, (_value: unknown) => {
      seen[name] = (seen[name] ?? 0) + 1;
      return 1;
    });
    database.run(`CREATE TEMP VIEW ${name} AS SELECT * FROM main.${name} WHERE seen_${name}(${column})`);
  }
  return {
    run: () => Promise.reject(new Error('only questions are counted')),
    async read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      const scope = newScope('read');
      begin.run();
      gate.scope = scope;
      try {
        return await inScope(scope, () => work(session.tx));
      } finally {
        gate.scope = null;
        end.run();
      }
    },
    take() {
      const rows = seen;
      seen = {};
      return rows;
    },
    close: () => database.close(),
  };
}
