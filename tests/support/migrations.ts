import { createBus } from '#server/data/bus.ts';
import type { Engine } from '#server/data/engine.ts';
import { migrate } from '#server/data/migrate.ts';
import { MIGRATIONS } from '#server/data/migrations/list.ts';
import { createPostgresPool, openPostgres } from '#server/data/postgres.ts';
import { openSqlite } from '#server/data/sqlite.ts';
import { TEST_START } from './clock.ts';
import { postgresPlace, sqlitePlace, type Engine as Kind } from './db.ts';
import { testLog } from './log.ts';

/**
 * An empty database that has the migrations whose names are `applied`, for the length of a test: `migrate(engine,
 * TEST_START)` runs the others.
 */
export async function withMigrations(
  kind: Kind,
  applied: (name: string) => boolean,
  work: (engine: Engine) => Promise<void>,
): Promise<void> {
  const place = kind === 'sqlite' ? sqlitePlace() : await postgresPlace();
  const { publish } = createBus(testLog());
  const engine =
    'path' in place.where
      ? openSqlite(place.where.path, publish, testLog())
      : openPostgres(createPostgresPool(place.where.url), publish, testLog());
  try {
    await migrate(
      engine,
      TEST_START,
      MIGRATIONS.filter(({ name }) => applied(name)),
    );
    await work(engine);
  } finally {
    await engine.close();
    await place.remove();
  }
}
