import { Database } from 'bun:sqlite';
import { SQL } from 'bun';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../env.ts';
import { keySource } from './app-key.ts';
import { StartError } from './start-error.ts';

/**
 * What an operator says on purpose, where the program would rather refuse: `--new` makes a new installation,
 * `--new-key` goes on without the old key.
 */
export interface StartFlags {
  readonly isNew: boolean;
  readonly newKey: boolean;
}

const isPostgres = (database: string) => /^postgres(ql)?:\/\//.test(database);

/**
 * Whether the database of the configuration holds tables of ours. Nothing is made. Throws what the engine throws where
 * it cannot be read.
 */
export async function hasTables({ database }: Pick<Config, 'database'>): Promise<boolean> {
  if (isPostgres(database)) {
    const sql = new SQL(database, { max: 1 });
    try {
      const [row] = await sql`SELECT to_regclass('schema_migrations') IS NOT NULL AS found`;
      return row?.found === true;
    } finally {
      await sql.close();
    }
  }
  if (!existsSync(database) || statSync(database).size === 0) return false;
  // Read and write, as a reader could not look into a log that a killed process left.
  const file = new Database(database, { readwrite: true, create: false });
  try {
    return file.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'").get() !== null;
  } finally {
    file.close();
  }
}

/**
 * Refuses what looks like the wrong folder before anything is made: a command where there is no installation, a key
 * without its database, a database without its key. In: the configuration, whether this command may make an
 * installation (`serve`, `migrate`), and the operator's words. Throws StartError.
 */
export async function assertPresence(config: Config, makes: boolean, words: StartFlags): Promise<void> {
  const place = isPostgres(config.database) ? 'the database of DATABASE_URL' : resolve(config.database);
  const folder = resolve(config.dataDir);
  const key = keySource(config);
  if (await hasTables(config)) {
    if (key !== 'none' || words.newKey) return;
    throw new StartError(
      `${folder} has no app.key, but ${place} holds an installation. Without its key, passwords of panels, payments and mail cannot be read, and who was paid once is forgotten.\n` +
        'Set DATA_DIR to the folder with app.key, put the saved app.key back, or set APP_KEY. If the key is lost for good, add --new-key and enter the secrets again.',
    );
  }
  if (words.isNew) return;
  if (!makes) {
    throw new StartError(
      `There is no installation in ${folder}: ${place} is missing or empty.\nSet DATA_DIR to the folder that serve uses (or DATABASE_URL), or add --new to make a new installation here.`,
    );
  }
  if (key !== 'file') return;
  throw new StartError(
    `${folder} has an app.key, but ${place} is missing or empty. Is a disk not mounted, or DATABASE_URL another one than before?\n` +
      'Nothing was changed. Put the database back, or add --new to begin a new installation with this key.',
  );
}
