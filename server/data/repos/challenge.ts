import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { ChallengeRepo } from '#server/modules/challenge/ports.ts';

/** Used challenges in the database: one insert decides who was first. */
export function createChallengeRepo(_db: Kysely<DB>, raw: Raw): ChallengeRepo {
  return {
    async use(id, untilMs) {
      return (
        (
          await raw.run('INSERT INTO used_challenges (id, until_ms) VALUES (?, ?) ON CONFLICT DO NOTHING', [
            id,
            untilMs,
          ])
        ).changes === 1
      );
    },
    async forget(beforeMs) {
      await raw.run('DELETE FROM used_challenges WHERE until_ms < ?', [beforeMs]);
    },
  };
}
