import type { CrudHooks } from '#server/modules/crud/index.ts';
import { enqueue } from '#server/modules/jobs/index.ts';
import type { Clock, Ids } from '#server/modules/kernel.ts';
import { J4R_JOBS } from '#server/modules/rewards/j4r/index.ts';
import type { Tx } from '#server/modules/tx.ts';
import type { J4rServerInput } from '#shared/resources/j4r-servers.ts';
import { iso } from '#shared/time.ts';

/**
 * What entries of join for rewards add to the generic handlers. Another invite may lead elsewhere: a job looks it up
 * anew, as there is no network in a transaction, and joining counts from now on.
 */
export function j4rServerHooks({ clock, ids }: { clock: Clock; ids: Ids }): CrudHooks<J4rServerInput, J4rServerInput> {
  async function fresh(tx: Tx) {
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
    beforeCreate: (tx) => fresh(tx),
    beforeUpdate: (tx, input, before) => (input.invite === before.invite ? Promise.resolve({}) : fresh(tx)),
  };
}
