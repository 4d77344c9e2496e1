import type { Tx } from '../tx.ts';
import type { BoardKey, Cursor, Moved, ScoreRow } from './ports.ts';
import { Counts } from './tree.ts';

/** What is known of a score: what it is now, or by how much it changed. */
type Change = { readonly is: number } | { readonly by: number };
/** Board and user to change. */
export class Changes {
  readonly #rows = new Map<string, { board: BoardKey; userId: string; change: Change }>();
  readonly users = new Set<string>();

  set(board: BoardKey, userId: string, score: number): void {
    this.users.add(userId);
    this.#rows.set(`${board}/${userId}`, { board, userId, change: { is: score } });
  }
  add(board: BoardKey, userId: string, by: number): void {
    this.users.add(userId);
    const key = `${board}/${userId}`;
    const before = this.#rows.get(key)?.change;
    const change = before && 'is' in before ? before : { by: (before?.by ?? 0) + by };
    this.#rows.set(key, { board, userId, change });
  }
  list() {
    return [...this.#rows.values()];
  }
}

/** Sets what was counted anew of users: credits, AFK minutes, servers, referrals. */
export async function setExact(tx: Tx, changes: Changes, userIds: readonly string[]): Promise<void> {
  const found = {
    credits: await tx.leaderboard.balances(userIds),
    afk: await tx.leaderboard.afkMinutes(userIds),
    servers: await tx.leaderboard.servers(userIds),
    referrals: await tx.leaderboard.referrals(userIds),
  };
  for (const [board, scores] of Object.entries(found))
    for (const userId of userIds) changes.set(board, userId, scores.get(userId) ?? 0);
}

/** Sets a month's rewards from the postings themselves, as far as they are counted. */
export async function setMonth(
  tx: Tx,
  changes: Changes,
  userIds: readonly string[],
  month: { board: BoardKey; sinceMs: number; until: Cursor },
): Promise<void> {
  const earned = await tx.leaderboard.earned(userIds, month.sinceMs, month.until);
  for (const userId of userIds) changes.set(month.board, userId, Math.max(0, earned.get(userId) ?? 0));
}

/** Sets what changed with postings: balances anew, the month by what came, AFK minutes anew where one was paid. */
export async function setMoved(
  tx: Tx,
  changes: Changes,
  postings: readonly Moved[],
  month: { board: BoardKey; sinceMs: number },
): Promise<void> {
  const moved = new Set<string>();
  const present = new Set<string>();
  for (const posting of postings) {
    for (const account of [posting.source, posting.destination])
      if (account.startsWith(WALLET)) moved.add(account.slice(WALLET.length));
    const earned = earnedBy(posting);
    if (earned && posting.createdMs >= month.sinceMs) changes.add(month.board, earned.userId, earned.credits);
    if (posting.kind === AFK) present.add(posting.destination.slice(posting.destination.indexOf(':') + 1));
  }
  const [users, afk] = [[...moved], [...present]];
  const balances = await tx.leaderboard.balances(users);
  for (const userId of users) changes.set('credits', userId, balances.get(userId) ?? 0);
  const minutes = await tx.leaderboard.afkMinutes(afk);
  for (const userId of afk) changes.set('afk', userId, minutes.get(userId) ?? 0);
}

const WALLET = 'user:';
const REWARD = 'system:reward.';
const AFK = 'reward.afk';

/** Rewards count as earned when they reach the wallet, and are taken off again where they are held or taken back. */
function earnedBy({ source, destination, amount, kind }: Moved): { userId: string; credits: number } | null {
  const reward = kind.startsWith('reward.');
  if (destination.startsWith(WALLET) && (reward || source.startsWith(REWARD)))
    return { userId: destination.slice(WALLET.length), credits: amount };
  if (source.startsWith(WALLET) && (reward || destination.startsWith(REWARD)))
    return { userId: source.slice(WALLET.length), credits: -amount };
  return null;
}

/**
 * Writes changed scores, and the numbers of the trees with them. Users who are gone fall off the boards, as do scores
 * of past months.
 */
export async function write(
  tx: Tx,
  changes: Changes,
  { nowMs, month }: { nowMs: number; month: BoardKey },
): Promise<void> {
  const userIds = [...changes.users];
  if (userIds.length === 0) return;
  const showing = await tx.leaderboard.showing(userIds, nowMs);
  const rows = new Map((await tx.leaderboard.scores(userIds)).map((row) => [`${row.board}/${row.userId}`, row]));
  const wanted = new Map<string, ScoreKey>([...rows].map(([key, row]) => [key, { ...row, score: row.score }]));
  for (const { board, userId, change } of changes.list()) {
    const key = `${board}/${userId}`;
    const score = 'is' in change ? change.is : (rows.get(key)?.score ?? 0) + change.by;
    wanted.set(key, { board, userId, score });
  }
  const counts = new Counts();
  const puts: ScoreRow[] = [];
  const gone: ScoreKey[] = [];
  for (const [key, change] of wanted) {
    const before = rows.get(key);
    const shown = showing.get(change.userId);
    const past = change.board.startsWith('month:') && change.board !== month;
    const after =
      shown && !past && change.score > 0
        ? {
            board: change.board,
            userId: change.userId,
            score: change.score,
            listed: shown.listed,
            linked: shown.linked,
          }
        : null;
    if (same(before, after)) continue;
    if (before?.listed && !past) counts.add(before.board, before.score, -1);
    if (after?.listed) counts.add(after.board, after.score, 1);
    if (after) puts.push(after);
    else gone.push(change);
  }
  await tx.leaderboard.put(puts);
  await tx.leaderboard.remove(gone);
  await tx.leaderboard.count(counts.changes());
}

type ScoreKey = Pick<ScoreRow, 'board' | 'userId' | 'score'>;

function same(before: ScoreRow | undefined, after: ScoreRow | null): boolean {
  if (!before || !after) return !before && !after;
  return before.score === after.score && before.listed === after.listed && before.linked === after.linked;
}
