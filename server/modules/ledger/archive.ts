import { LEAST_UNLESS_OFF } from '#shared/setting-gaps.ts';
import { DAY } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';

/** Whatever the setting says: what is asked of the last weeks (earned, spent, the month's board) is never archived. */
const KEPT_DAYS_MIN = LEAST_UNLESS_OFF.ledger_archive_days ?? 0;
/** Wallets that one question looks at. */
const WALLETS = 100;
/** What a slice costs by itself, in transactions, and after how many others have their turn: some ms. */
const SLICE_COSTS = 8;
const RESTS_AFTER = 64;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  /** How many days transactions stay in the tables; 0 archives nothing. */
  readonly days: () => number;
  /** Users whose slices are sent together: most have few transactions, and share a commit where there is one writer. */
  readonly together: number;
  /** Lets others have their turn: awaited between two steps. */
  readonly rest: () => Promise<void>;
}

/**
 * From when on transactions stay in the tables: the first moment (UTC) of the month so many days ago, so that whole
 * months go, once a month.
 */
export function keptSince(nowMs: number, days: number): number {
  const then = new Date(nowMs - Math.max(KEPT_DAYS_MIN, days) * DAY);
  return Date.UTC(then.getUTCFullYear(), then.getUTCMonth(), 1);
}

/** Moves old transactions into the archive of the ledger (decision 124). */
export function createLedgerArchive({ uow, clock, days, together, rest }: Deps) {
  /**
   * Goes on where the last run ended, user by user, until everything old is archived, the time is over or it is given
   * up. Each step is a transaction of its own: whoever is killed in between loses nothing. Out: transactions archived.
   */
  async function run(signal: AbortSignal, budgetMs: number): Promise<number> {
    if (days() === 0) return 0;
    const endMs = clock.now() + budgetMs;
    const isOver = () => signal.aborted || clock.now() >= endMs;
    const beforeMs = keptSince(clock.now(), days());
    const state = await uow.read((tx) => tx.ledgerArchive.state());
    if (state.doneMs >= beforeMs) return 0;
    // A pass that is older than today's goes on, and the next one takes what has become old since.
    const passMs = state.after === '' ? beforeMs : state.passMs;
    let { after } = state;
    let [count, worked] = [0, 0];
    /** Slice by slice. Out: how many were archived. */
    const archiveUser = async (userId: string): Promise<number> => {
      let own = 0;
      for (let more = true; more && !isOver();) {
        const slice = await uow.run((tx) => tx.ledgerArchive.archive(userId, passMs));
        ({ more } = slice);
        own += slice.moved;
        if (more) await rest();
      }
      return own;
    };
    while (!isOver()) {
      await rest();
      const from = after;
      const { userIds, last } = await uow.read((tx) => tx.ledgerArchive.findOld(from, passMs, WALLETS));
      for (let at = 0; at < userIds.length; at += together) {
        const users = userIds.slice(at, at + together);
        const moved = (await Promise.all(users.map(archiveUser))).reduce((sum, own) => sum + own, 0);
        count += moved;
        if (isOver()) return count;
        worked += moved + SLICE_COSTS * users.length;
        if (worked < RESTS_AFTER) continue;
        worked = 0;
        await rest();
      }
      after = last ?? '';
      const { doneMs } = state;
      await uow.run((tx) => tx.ledgerArchive.saveState({ passMs, after, doneMs: last === null ? passMs : doneMs }));
      if (last === null) break;
    }
    return count;
  }

  return { run };
}
