import type { Config } from '../env.ts';

/** Where the data lies: an address of PostgreSQL, or the path of a SQLite file. */
export function databasePlace(config: Pick<Config, 'database'>): { url: string } | { path: string } {
  return /^postgres(ql)?:\/\//.test(config.database) ? { url: config.database } : { path: config.database };
}
