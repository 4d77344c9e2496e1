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
 * A database whose writing transactions can be broken off between any two statements, those within one call of a
 * repository included, and before the commit (attacks T10). As after the end of a process, nothing that follows in the
 * transaction takes effect.
 */
export function breakable(database: Database): BreakableDatabase {
  const fates = new AsyncLocalStorage<Fate>();
  return {
    ...database,
    uow: {
      read: database.uow.read,
      async run(work) {
        const fate = fates.getStore();
        const step = () => stepOf(fate);
        const value = await database.write(async ({ raw }) => {
          const answer = await work(stepping(raw, step));
          step();
          return answer;
        });
        if (fate) fate.commits += 1;
        return value;
      },
    },
    under: (fate, run) => fates.run(fate, run),
  };
}

/** Counts a statement. Throws where it is the one before which the command breaks off. */
function stepOf(fate: Fate | undefined): void {
  if (!fate || fate.left === null || fate.commits >= (fate.until ?? Infinity)) return;
  if (!fate.broken) fate.left -= 1;
  if (fate.left > 0) return;
  fate.broken = true;
  throw new Crash();
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
  const db = kyselyOver(raw.dialect, async (sql, params) => {
    const values = params as readonly Param[];
    if (/^\s*(select|with)\b|\breturning\b/i.test(sql))
      return { rows: await own.all<unknown>(sql, values), changes: null };
    return { rows: [], changes: (await own.run(sql, values)).changes };
  });
  return createTx(db, own);
}
