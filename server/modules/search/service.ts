import { normaliseName } from '#shared/names.ts';
import { can, type Permission } from '#shared/permissions.ts';
import type { Clock, FindPlaceTrace, SignedIn } from '../kernel.ts';
import type { LongReads, Tx } from '../tx.ts';

/** Matches of one kind. */
const MATCHES = 5;
/** Words in front that may say what is to be done with what follows ("give credits to …"). */
const WORDS_IN_FRONT = 4;

interface Deps {
  readonly long: LongReads;
  readonly clock: Clock;
  readonly findPlaceTrace: FindPlaceTrace;
}
export type Search = ReturnType<typeof createSearch>;

/**
 * The search of staff (behaviour 8.2): users, servers, orders, codes and queue entries, as far as the caller may list
 * them.
 */
export function createSearch({ long, clock, findPlaceTrace }: Deps) {
  /**
   * What fits a text; where nothing does, what fits the rest of it without the words in front, so that "suspend hub"
   * finds the server hub. In: at least two signs.
   */
  function find(ctx: SignedIn, text: string) {
    return long.read(
      async (tx) => {
        const words = text.trim().split(/\s+/);
        for (let dropped = 0; ; dropped += 1) {
          const found = await findAll(tx, ctx, words.slice(dropped).join(' '));
          const isLast = dropped >= WORDS_IN_FRONT || dropped + 1 >= words.length;
          if (isLast || Object.values(found).some((list) => list.length > 0)) return found;
        }
      },
      { for: 'visitor' },
    );
  }

  async function findAll(tx: Tx, { actor }: SignedIn, text: string) {
    const may = (permission: Permission): boolean => text.length > 1 && can(actor.permissions, permission);
    const byAddress = may('admin.users.edit');
    const place = byAddress ? findPlaceTrace(normaliseName(text)) : null;
    return {
      users: may('admin.users.list')
        ? await tx.search.users(text, { nowMs: clock.now(), byAddress, place, limit: MATCHES })
        : [],
      servers: may('admin.servers.list') ? await tx.search.servers(text, MATCHES) : [],
      orders: may('admin.payments.list') ? await tx.search.orders(text, MATCHES) : [],
      codes: may('admin.redeem.codes.list') ? await tx.search.codes(text, MATCHES) : [],
      queue: may('admin.server.queue.list') ? await tx.search.queue(text, MATCHES) : [],
    };
  }

  return { find };
}
