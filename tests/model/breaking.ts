import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from '#server/data/open.ts';
import { kyselyOver } from '#server/data/kysely.ts';
import type { Param, Raw } from '#server/data/raw.ts';
import { createTx } from '#server/data/tx.ts';
import type { Tx } from '#server/modules/tx.ts';
import { Crash } from '#tests/support/crash.ts';

/** What happens to the transactions of one command. */
export interface Fate {
  /** Statements until it breaks off, counted over its transactions; a commit counts as one. Null: it does not. */
  left: number | null;
  /** After so many commits it does not break off any more. */
  readonly until?: number | undefined;
  broken: boolean;
  commits: number;
}

export interface BreakableDatabase extends Database {
  /** Runs a command whose transactions have a fate. Commands that run at once have their own each. */
  under<T>(fate: Fate, run: () => Promise<T>): Promise<T>;
}

/**
 * A SQLite database whose writing transactions can be broken off between any two statements, those within one call of a
 * repository included, and before the commit (attacks T10). As after the end of a process, nothing that follows in the
 * transaction takes effect.
 */
export function breakable(database: Database): BreakableDatabase {
  const fates = new AsyncLocalStorage<Fate>();
  // The writer runs one transaction after the other.
  let current: Fate | undefined;
  let made: { readonly raw: Raw; readonly tx: Tx } | undefined;
  const step = () => {
    if (!current || current.left === null || current.commits >= (current.until ?? Infinity)) return;
    if (!current.broken) current.left -= 1;
    if (current.left > 0) return;
    current.broken = true;
    throw new Crash();
  };
  const txOver = (raw: Raw): Tx => {
    if (made?.raw !== raw) made = { raw, tx: stepping(raw, step) };
    return made.tx;
  };
  return {
    ...database,
    uow: {
      read: database.uow.read,
      async run(work) {
        const fate = fates.getStore();
        const value = await database.write(async ({ raw }) => {
          current = fate;
          try {
            const answer = await work(txOver(raw));
            step();
            return answer;
          } finally {
            current = undefined;
          }
        });
        if (fate) fate.commits += 1;
        return value;
      },
    },
    under: (fate, run) => fates.run(fate, run),
  };
}

/** The repositories over a connection, with `step` called before each statement. */
function stepping(raw: Raw, step: () => void): Tx {
  const own: Raw = {
    dialect: raw.dialect,
    stopCondition: raw.stopCondition,
    all: async <T>(sql: string, params?: readonly Param[]) => {
      step();
      return raw.all<T>(sql, params);
    },
    one: async <T>(sql: string, params?: readonly Param[]) => {
      step();
      return raw.one<T>(sql, params);
    },
    run: async (sql, params) => {
      step();
      return raw.run(sql, params);
    },
  };
  const db = kyselyOver('sqlite', async (sql, params) => {
    const values = params as readonly Param[];
    if (/^\s*(select|with)\b|\breturning\b/i.test(sql))
      return { rows: await own.all<unknown>(sql, values), changes: null };
    return { rows: [], changes: (await own.run(sql, values)).changes };
  });
  return createTx(db, own);
}
