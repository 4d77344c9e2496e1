import type { Raw } from '#server/data/raw.ts';
import { insertNew } from '#server/data/row.ts';
import { deleteAlongKey } from '#server/data/slices.ts';
import type { ChallengeRepo } from '#server/modules/challenge/ports.ts';

const USED = { table: 'used_challenges', key: 'id', age: 'until_ms' } as const;

/** Used challenges in the database: one insert decides who was first. */
export const createChallengeRepo = (raw: Raw): ChallengeRepo => ({
  use: (id, untilMs) => insertNew(raw, USED.table, { id, until_ms: untilMs }),
  forget: (beforeMs, afterId, limit) => deleteAlongKey(raw, USED, beforeMs, afterId, limit),
});
