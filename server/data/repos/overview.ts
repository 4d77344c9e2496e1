import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { OverviewRepo } from '#server/modules/overview/ports.ts';

/** The dashboard's counts, each from an index. */
export function createOverviewRepo(db: Kysely<DB>): OverviewRepo {
  const users = () => db.selectFrom('users').where('status', '<>', 'deleted').select((eb) => eb.fn.countAll<number>().as('n'));
  const servers = () => db.selectFrom('servers').select((eb) => eb.fn.countAll<number>().as('n'));
  return {
    async counts(sinceMs) {
      const all = await users().executeTakeFirstOrThrow();
      const since = await users().where('created_ms', '>=', sinceMs).executeTakeFirstOrThrow();
      const live = await servers().where('state', 'not in', ['deleted', 'failed']).executeTakeFirstOrThrow();
      const suspended = await servers().where('state', '=', 'suspended').executeTakeFirstOrThrow();
      const queue = await db
        .selectFrom('server_queue')
        .where('state', 'in', ['queued', 'building'])
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return { users: all.n, usersSince: since.n, servers: live.n, suspended: suspended.n, queue: queue.n };
    },
  };
}
