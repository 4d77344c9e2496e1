import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertNew } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import type { ChallengeRepo } from '#server/modules/challenge/ports.ts';

/** Used challenges in the database: one insert decides who was first. */
export function createChallengeRepo(db: Kysely<DB>, raw: Raw): ChallengeRepo {
  return {
    use: (id, untilMs) => insertNew(raw, 'used_challenges', { id, until_ms: untilMs }),
    async forget(beforeMs) {
      await db.deleteFrom('used_challenges').where('until_ms', '<', beforeMs).execute();
    },
  };
}
