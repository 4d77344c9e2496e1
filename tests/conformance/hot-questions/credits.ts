import { createCountersRepo } from '#server/data/repos/counters.ts';
import { createGiftsRepo } from '#server/data/repos/gifts.ts';
import { createLeaderboardRepo } from '#server/data/repos/leaderboard.ts';
import { balanceAfter, createLedgerArchiveRepo, findArchivable } from '#server/data/repos/ledger-archive.ts';
import { createLedgerRepo } from '#server/data/repos/ledger.ts';
import { createReferralsRepo } from '#server/data/repos/referrals.ts';
import { ordersList } from '#server/data/repos/payments-list.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { crowdId } from '#tests/support/crowd.ts';
import { FIRST_PAGE, type Ask, type Questions } from './question.ts';

const me = `user:${crowdId(1)}` as const;
const place = { createdMs: TEST_START, txId: crowdId(5), seq: 0 };
const ledger =
  (ask: (repo: ReturnType<typeof createLedgerRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createLedgerRepo(raw));
const board =
  (ask: (repo: ReturnType<typeof createLeaderboardRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createLeaderboardRepo(db, raw));

/** Of credits: statements, the archive, what is earned, the leaderboard, payments. */
export const CREDITS_QUESTIONS: Questions = {
  'first page of a statement': {
    ask: ledger((repo) => repo.history(me, { limit: 25 })),
    reads: [
      'ledger_postings USING INDEX ledger_postings_source (source=?)',
      'ledger_postings USING INDEX ledger_postings_destination (destination=?)',
      't USING PRIMARY KEY (id=?)',
      'o USING PRIMARY KEY (id=?) LEFT-JOIN',
      'ledger_blocks USING INDEX ledger_blocks_user (user_id=?)',
    ],
  },
  'a later page': {
    ask: ledger((repo) => repo.history(me, { limit: 25, before: place, fromMs: 1 })),
    reads: [
      'ledger_postings USING INDEX ledger_postings_source (source=? AND created_ms>? AND (created_ms,tx_id,seq)<(?,?,?))',
      'ledger_postings USING INDEX ledger_postings_destination (destination=? AND created_ms>? AND (created_ms,tx_id,seq)<(?,?,?))',
      't USING PRIMARY KEY (id=?)',
      'o USING PRIMARY KEY (id=?) LEFT-JOIN',
      'ledger_blocks USING INDEX ledger_blocks_user (user_id=?)',
    ],
  },
  'a newer page': {
    ask: ledger((repo) => repo.history(me, { limit: 25, after: place, toMs: TEST_START })),
    reads: [
      'ledger_postings USING INDEX ledger_postings_source (source=? AND (created_ms,tx_id,seq)>(?,?,?) AND created_ms<?)',
      'ledger_postings USING INDEX ledger_postings_destination (destination=? AND (created_ms,tx_id,seq)>(?,?,?) AND created_ms<?)',
      't USING PRIMARY KEY (id=?)',
      'o USING PRIMARY KEY (id=?) LEFT-JOIN',
      'ledger_blocks USING INDEX ledger_blocks_user (user_id=?)',
    ],
  },
  'a page of one kind': {
    ask: ledger((repo) => repo.history(me, { limit: 25, kind: 'gift', direction: 'in' })),
    reads: [
      'ledger_postings USING INDEX ledger_postings_destination (destination=?)',
      't USING PRIMARY KEY (id=?)',
      'o USING PRIMARY KEY (id=?) LEFT-JOIN',
      'ledger_blocks USING INDEX ledger_blocks_user (user_id=?)',
    ],
  },
  'balances of the last days': {
    ask: ledger((repo) => repo.balanceAt(me, [1, 2])),
    reads: [
      'ledger_postings USING INDEX ledger_postings_source (source=? AND created_ms>?)',
      'ledger_postings USING INDEX ledger_postings_destination (destination=? AND created_ms>?)',
      'ledger_accruals USING PRIMARY KEY (account=?)',
      'ledger_blocks USING INDEX ledger_blocks_user (user_id=?)',
      'ledger_balances USING PRIMARY KEY (account=?)',
    ],
  },
  'a transaction by its reference, in the archive too': {
    ask: ledger((repo) => repo.byReference('none')),
    reads: [
      'ledger_transactions USING COVERING INDEX ledger_transactions_reference (reference=?)',
      'ledger_archived_references USING PRIMARY KEY (key=?)',
    ],
  },
  'wallets with something to archive': {
    ask: (_, raw) => createLedgerArchiveRepo(raw).findOld('user:', 5, 100),
    reads: [
      'ledger_balances USING PRIMARY KEY (account>? AND account<?)',
      'ledger_blocks USING INDEX ledger_blocks_user (user_id=?)',
      'w',
      'ledger_postings USING COVERING INDEX ledger_postings_source (source=? AND created_ms>? AND created_ms<?)',
      'ledger_postings USING COVERING INDEX ledger_postings_destination (destination=? AND created_ms>? AND created_ms<?)',
    ],
  },
  'transactions that go into the archive': {
    ask: async (_, raw) => [
      await findArchivable(raw, crowdId(1), undefined, 5, 64),
      await balanceAfter(raw, { id: 1 }),
    ],
    reads: [
      'p USING INDEX ledger_postings_source (source=? AND (created_ms,tx_id)>(?,?) AND created_ms<?)',
      'o USING PRIMARY KEY (tx_id=?)',
      'back USING COVERING INDEX ledger_transactions_reverses (reverses=?)',
      'p USING INDEX ledger_postings_destination (destination=? AND (created_ms,tx_id)>(?,?) AND created_ms<?)',
      'b USING INTEGER PRIMARY KEY (rowid=?)',
      'ledger_blocks USING INDEX ledger_blocks_user (user_id=? AND number<?)',
      'ledger_postings USING INDEX ledger_postings_destination (destination=? AND created_ms<?)',
      'ledger_postings USING INDEX ledger_postings_source (source=? AND created_ms<?)',
    ],
  },
  'credits earned since': {
    ask: ledger((repo) => repo.earnedSince(me, 1)),
    reads: [
      'ledger_postings USING INDEX ledger_postings_destination (destination=? AND created_ms>?)',
      'ledger_accruals USING PRIMARY KEY (account=?)',
    ],
  },
  'referrals that are due': {
    ask: (db) => createReferralsRepo(db).due(1, 200),
    reads: ['referrals USING INDEX referrals_due (next_check_ms<?)'],
  },
  'accruals that are due': {
    ask: ledger((repo) => repo.dueAccruals(5, 100)),
    reads: ['ledger_accruals USING COVERING INDEX ledger_accruals_due (due_ms<?)'],
  },
  'what was earned and spent lately': {
    ask: ledger(async (repo) => [await repo.earnedByKind(me, 1), await repo.spentSince(crowdId(1), 1)]),
    reads: [
      'ledger_postings USING INDEX ledger_postings_destination (destination=? AND created_ms>?)',
      'ledger_postings USING INDEX ledger_postings_source (source=? AND created_ms>?)',
    ],
  },
  'sweep of the leaderboard': {
    ask: board((repo) => repo.earned([crowdId(1)], 1, place)),
    reads: [
      'ledger_postings USING INDEX ledger_postings_destination (destination=? AND created_ms>?)',
      'ledger_postings USING INDEX ledger_postings_source (source=? AND created_ms>?)',
    ],
  },
  'news for the leaderboard': {
    ask: board((repo) => repo.postingsAfter(place, 500, TEST_START)),
    reads: ['ledger_postings USING PRIMARY KEY ((tx_id,seq)>(?,?))'],
  },
  'people for the sweep': {
    ask: board((repo) => repo.usersAfter(crowdId(1), 50)),
    reads: ['users USING COVERING INDEX sqlite_autoindex_users_1 (id>?)'],
  },
  'sources of the leaderboard': {
    ask: board(async (repo) => [
      await repo.balances([crowdId(1)]),
      await repo.afkMinutes([crowdId(1)]),
      await repo.servers([crowdId(1)]),
      await repo.referrals([crowdId(1)]),
      await repo.showing([crowdId(1)], 1),
    ]),
    reads: [
      'ledger_balances USING PRIMARY KEY (account=?)',
      'afk_sessions USING INDEX afk_sessions_user (user_id=?)',
      'servers USING COVERING INDEX servers_user (user_id=?)',
      'referrals USING INDEX referrals_referrer (referrer_id=?)',
      'users USING INDEX sqlite_autoindex_users_1 (id=?)',
      'user_privacy USING PRIMARY KEY (user_id=?) LEFT-JOIN',
    ],
  },
  'a board': {
    ask: board(async (repo) => [
      await repo.top('credits', 50, 1),
      await repo.above('credits', 7),
      await repo.nextAbove('credits', 7),
      await repo.players('credits'),
    ]),
    reads: [
      's USING INDEX leaderboard_scores_top (board=?)',
      'u USING INDEX sqlite_autoindex_users_1 (id=?)',
      'leaderboard_counts USING PRIMARY KEY (board=? AND level=? AND node>? AND node<?)',
      'leaderboard_scores USING COVERING INDEX leaderboard_scores_top (board=? AND score>?)',
      'leaderboard_counts USING PRIMARY KEY (board=? AND level=?)',
    ],
  },
  'sums of a day that are old enough': {
    ask: async (db, raw) => {
      await createCountersRepo(db, raw).purge('2026-01-01', 500);
      await createGiftsRepo(db, raw).purgeDays('2026-01-01', '', 500);
    },
    reads: [
      'earn_counters USING PRIMARY KEY (user_id=? AND source=? AND day=? AND shard=?)',
      'earn_counters USING COVERING INDEX earn_counters_day (day<?)',
      'gift_days USING PRIMARY KEY (user_id>?)',
    ],
  },
  'orders of a buyer': {
    ask: (db) => ordersList(db).listOrders({ userId: 'u', sort: { by: 'created', dir: 'desc' }, ...FIRST_PAGE }),
    reads: [
      'payment_orders USING COVERING INDEX payment_orders_user (user_id=?)',
      'users USING COVERING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN',
    ],
  },
  orders: {
    ask: (db) => ordersList(db).listOrders({ sort: { by: 'created', dir: 'desc' }, ...FIRST_PAGE }),
    reads: [
      'payment_orders USING INDEX payment_orders_created',
      'imported_payments USING INDEX imported_payments_paid',
      'payment_orders USING COVERING INDEX payment_orders_user',
      'users USING COVERING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN',
      'imported_payments USING COVERING INDEX imported_payments_of_user',
    ],
  },
  'payments at other dashboards': {
    ask: (db) =>
      ordersList(db).listOrders({ provider: 'imported', sort: { by: 'created', dir: 'desc' }, ...FIRST_PAGE }),
    reads: [
      'imported_payments USING INDEX imported_payments_paid',
      'imported_payments USING COVERING INDEX imported_payments_of_user',
      'users USING COVERING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN',
    ],
  },
};
