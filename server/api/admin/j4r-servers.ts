import type { CrudHooks } from '#server/modules/crud/index.ts';
import { enqueue } from '#server/modules/jobs/index.ts';
import type { Clock, Ids } from '#server/modules/kernel.ts';
import { J4R_JOBS } from '#server/modules/rewards/j4r/index.ts';
import type { Tx } from '#server/modules/tx.ts';
import type { J4rServerInput } from '#shared/resources/j4r-servers.ts';
import { iso } from '#shared/time.ts';

/**
 * What entries of join for rewards add to the generic handlers. A new invite may lead to another Discord server: a job
 * looks it up, as a transaction must not use the network, and only joins from now on count.
 */
export function j4rServerHooks({ clock, ids }: { clock: Clock; ids: Ids }): CrudHooks<J4rServerInput, J4rServerInput> {
  async function resetLookup(tx: Tx) {
    await enqueue(tx, ids, clock, { kind: J4R_JOBS.lookup, payload: {}, uniqueKey: J4R_JOBS.lookup });
    return {
      lookup: 'pending',
      lookup_at: iso(0),
      since_at: iso(clock.now()),
      guild_id: null,
      guild_name: null,
      members: null,
    };
  }
  return {
    beforeCreate: (tx) => resetLookup(tx),
    beforeUpdate: (tx, input, before) => (input.invite === before.invite ? Promise.resolve({}) : resetLookup(tx)),
  };
}
