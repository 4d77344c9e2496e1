import { LEADERBOARD_SIZE, type Board } from '#shared/leaderboard.ts';
import type { SettingValues } from '#shared/settings.ts';
import { dayIn } from '#shared/time.ts';
import { wallTimeToMs } from '#shared/zoned.ts';
import type { Clock } from '../kernel.ts';
import { subscriber } from '../events/index.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { BoardKey, State } from './ports.ts';
import { Changes, setExact, setMonth, setMoved, write } from './refresh.ts';

/**
 * Postings, marks and people that one step takes: some ms, in which nobody else is answered, and 1.5 ms for each of
 * them where their pages come from the disk (decision 087).
 */
const STEP = 16;
/** Steps of one turn; what is left waits for the next. */
const STEPS = 600;
/**
 * Steps of each turn that also count people anew from the sources, once everybody has been: whatever went wrong comes
 * right by itself.
 */
const HEALING = 3;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
}
interface Place {
  /** Equal scores share a rank; the next one counts those before it. */
  readonly rank: number;
  readonly userId: string;
  readonly username: string;
  readonly score: number;
  readonly linked: boolean;
}
interface BoardView {
  readonly places: readonly Place[];
  readonly players: number;
  readonly own: {
    readonly score: number;
    readonly rank: number | null;
    readonly toNext: number | null;
    readonly hidden: boolean;
  };
}
export type Leaderboard = ReturnType<typeof createLeaderboard>;

/**
 * The leaderboard (behaviour 7.1). Scores are rows that a scheduled turn brings up to date from what changed since the
 * last one; who is banned or hides is off the boards with the transaction that says so. Reading takes a bounded number
 * of rows, whatever the number of people.
 */
export function createLeaderboard({ uow, clock, settings }: Deps) {
  const month = () => monthOf(clock.now(), settings.current().app_timezone);
  const keyOf = (board: Board): BoardKey => (board === 'month' ? month().board : board);

  /** The best of a board, and where the user stands. */
  function view(userId: string, board: Board): Promise<BoardView> {
    const key = keyOf(board);
    return uow.read(async (tx) => {
      const rows = await tx.leaderboard.top(key, LEADERBOARD_SIZE, clock.now());
      const own = await tx.leaderboard.scoreOf(key, userId);
      const ranked = own?.listed === true;
      const next = ranked ? await tx.leaderboard.nextAbove(key, own.score) : null;
      return {
        places: withRanks(rows),
        players: await tx.leaderboard.players(key),
        own: {
          score: own?.score ?? 0,
          rank: ranked ? (await tx.leaderboard.above(key, own.score)) + 1 : null,
          toNext: ranked && next !== null ? next - own.score : null,
          hidden: own?.listed === false,
        },
      };
    });
  }

  /** A user's scores, and the rank by credits where they are listed. For the profile. */
  async function scores(tx: Tx, userId: string): Promise<{ scores: Record<Board, number>; rank: number | null }> {
    const rows = new Map((await tx.leaderboard.scores([userId])).map((row) => [row.board, row]));
    const of = (board: Board): number => rows.get(keyOf(board))?.score ?? 0;
    const credits = rows.get('credits');
    const rank = credits?.listed ? (await tx.leaderboard.above('credits', credits.score)) + 1 : null;
    return {
      scores: {
        credits: of('credits'),
        month: of('month'),
        afk: of('afk'),
        servers: of('servers'),
        referrals: of('referrals'),
      },
      rank,
    };
  }

  /**
   * Puts a user on or off the boards as they may be shown now. Joins the transaction that bans, unbans, hides or shows
   * them.
   */
  async function show(tx: Tx, userId: string): Promise<void> {
    await tx.leaderboard.lock();
    const changes = new Changes();
    changes.users.add(userId);
    await write(tx, changes, { nowMs: clock.now(), month: month().board });
  }

  /** Counts what changed since the last turn. For the scheduler. Out: steps taken. */
  async function refresh(): Promise<number> {
    for (let step = 1; step <= STEPS; step += 1) {
      const more = await uow.run((tx) => count(tx, step));
      if (!more) return step;
    }
    return STEPS;
  }

  /** One step. In: which of the turn, from 1. Out: whether there is more to do. */
  async function count(tx: Tx, step: number): Promise<boolean> {
    const now = clock.now();
    const state = await tx.leaderboard.lock();
    const current = month();
    const postings = await tx.leaderboard.postingsAfter(state, STEP, now);
    const marks = await tx.leaderboard.takeMarks(STEP);
    const whole = state.sweptMs === null;
    const walks = whole || step <= HEALING;
    const swept = walks ? await tx.leaderboard.usersAfter(state.sweep, STEP) : [];
    const { txId, seq } = postings.at(-1) ?? state;
    const next: State = { ...state, ...(walks ? sweptTo(state, swept, now) : {}), txId, seq };
    const changes = new Changes();
    await setMoved(tx, changes, postings, current);
    await setExact(tx, changes, [...new Set([...marks, ...swept])]);
    await setMonth(tx, changes, swept, { ...current, until: next });
    await write(tx, changes, { nowMs: now, month: current.board });
    if (step === 1) await tx.leaderboard.forgetMonths(current.board, STEP);
    await tx.leaderboard.save(next);
    const isWalking = whole ? next.sweptMs === null : swept.length === STEP && step < HEALING;
    return postings.length === STEP || marks.length === STEP || isWalking;
  }

  const showUser = (tx: Tx, { userId }: { userId: string }) => show(tx, userId);
  const subscriptions = [
    subscriber('user.banned', showUser),
    subscriber('user.unbanned', showUser),
    subscriber('user.ban_expired', showUser),
    subscriber('user.deleted', showUser),
  ];
  return { view, scores, show, refresh, subscriptions };
}

/** Where the walk through all people stands after a step; at its end it begins again. */
function sweptTo(state: State, swept: readonly string[], nowMs: number): Pick<State, 'sweep' | 'sweptMs'> {
  if (swept.length < STEP) return { sweep: '', sweptMs: state.sweptMs ?? nowMs };
  return { sweep: swept.at(-1) ?? '', sweptMs: state.sweptMs };
}

/** The month of a moment by the calendar of a zone: its board and when it began (UTC ms). */
function monthOf(nowMs: number, zone: string): { board: BoardKey; sinceMs: number } {
  const name = dayIn(nowMs, zone).slice(0, 7);
  return { board: `month:${name}`, sinceMs: wallTimeToMs(`${name}-01T00:00`, zone) ?? nowMs };
}

function withRanks(rows: readonly Omit<Place, 'rank'>[]): Place[] {
  let rank = 0;
  return rows.map((row, index) => {
    if (row.score !== rows[index - 1]?.score) rank = index + 1;
    return { rank, userId: row.userId, username: row.username, score: row.score, linked: row.linked };
  });
}
