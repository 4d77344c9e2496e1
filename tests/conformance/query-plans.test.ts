import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import type { Kysely } from 'kysely';
import { openDatabase } from '#server/data/open.ts';
import type { Raw } from '#server/data/raw.ts';
import { createJobsRepo } from '#server/data/repos/jobs.ts';
import { createAbuseRepo } from '#server/data/repos/abuse.ts';
import { createAnnouncementsRepo } from '#server/data/repos/announcements.ts';
import { createCountersRepo } from '#server/data/repos/counters.ts';
import { createGiftsRepo } from '#server/data/repos/gifts.ts';
import { createWaitingListRepo } from '#server/data/repos/waiting-list.ts';
import { createImagesRepo } from '#server/data/repos/images.ts';
import { createLeaderboardRepo } from '#server/data/repos/leaderboard.ts';
import { balanceAfter, createLedgerArchiveRepo, findArchivable } from '#server/data/repos/ledger-archive.ts';
import { createLedgerRepo } from '#server/data/repos/ledger.ts';
import { createMailRepo } from '#server/data/repos/mail.ts';
import { createNotificationsRepo } from '#server/data/repos/notifications.ts';
import { createOverviewRepo } from '#server/data/repos/overview.ts';
import { createOwnMailsRepo } from '#server/data/repos/own-mails.ts';
import { ordersList } from '#server/data/repos/payments-list.ts';
import { createPeopleRepo } from '#server/data/repos/people.ts';
import { createServersRepo } from '#server/data/repos/servers.ts';
import { createStaffServersRepo } from '#server/data/repos/staff-servers.ts';
import type { DB } from '#server/data/schema.ts';
import { createBus } from '#server/data/bus.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { crowdId, fillCrowd } from '#tests/support/crowd.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { testLog } from '#tests/support/log.ts';
import { plansOf } from '#tests/support/plans.ts';

type Ask = (kysely: Kysely<DB>, raw: Raw) => Promise<unknown>;
const me = `user:${crowdId(1)}` as const;
const place = { createdMs: TEST_START, txId: crowdId(5), seq: 0 };
const page = { offset: 0, limit: 25, nowMs: 0, byAddress: true };
const [seenPlace, namePlace] = [
  { value: 5, id: crowdId(5) },
  { value: 'crowd0000005', id: crowdId(5) },
];
const users = { limit: 25, nowMs: 0, byAddress: true };
const ledger =
  (ask: (repo: ReturnType<typeof createLedgerRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createLedgerRepo(raw));
const board =
  (ask: (repo: ReturnType<typeof createLeaderboardRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createLeaderboardRepo(db, raw));
const people =
  (ask: (repo: ReturnType<typeof createPeopleRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createPeopleRepo(db, raw));
const abuse =
  (ask: (repo: ReturnType<typeof createAbuseRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createAbuseRepo(db, raw));
const staff =
  (ask: (repo: ReturnType<typeof createStaffServersRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createStaffServersRepo(raw));

const mails =
  (ask: (repo: ReturnType<typeof createMailRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createMailRepo(db, raw));
const EVERYBODY = { roleId: null, locale: null, seenSinceMs: null, verified: false };

const LEASE = { token: 't', nowMs: 1, leaseMs: 1, limit: 4 };
const jobs =
  (ask: (repo: ReturnType<typeof createJobsRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createJobsRepo(raw));

/** Hot questions, and along which index each walks or finds the rows of tables that grow without bound. */
const QUESTIONS: Readonly<Record<string, { ask: Ask; reads: readonly string[] }>> = {
  'a page of a user’s images, the newest first': {
    ask: (_, raw) =>
      createImagesRepo(raw).list(crowdId(1), { order: 'newest', search: '', after: seenPlace, limit: 25 }),
    reads: [
      'images USING INDEX images_of_user (user_id=? AND (created_ms,id)<(?,?))',
      'i',
      'o USING INDEX sqlite_autoindex_image_objects_1 (hash=?)',
    ],
  },
  'a page of a user’s images, the largest first': {
    ask: (_, raw) =>
      createImagesRepo(raw).list(crowdId(1), { order: 'largest', search: '', after: seenPlace, limit: 25 }),
    reads: [
      'images USING INDEX images_of_user (user_id=?)',
      'i',
      'o USING INDEX sqlite_autoindex_image_objects_1 (hash=?)',
    ],
  },
  'a page of the host’s library': {
    ask: (_, raw) => createImagesRepo(raw).listLibrary({ search: '', after: seenPlace, limit: 25 }),
    reads: [
      'library_images USING INDEX library_images_list ((created_ms,id)<(?,?))',
      'l',
      'o USING INDEX sqlite_autoindex_image_objects_1 (hash=?)',
      'u USING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN',
    ],
  },
  'a page of the board of announcements': {
    ask: (_, raw) =>
      createAnnouncementsRepo(raw).listBoard({
        userId: crowdId(1),
        nowMs: TEST_START,
        before: { ms: 5, id: 'a' },
        limit: 13,
      }),
    reads: [
      'a USING INDEX announcements_board (publish_ms<?)',
      't USING PRIMARY KEY (announcement_id=? AND target_id=?)',
      'users USING INDEX sqlite_autoindex_users_1 (id=?)',
      'servers USING INDEX servers_user (user_id=?)',
    ],
  },
  'unread announcements of a user': {
    ask: (_, raw) =>
      createAnnouncementsRepo(raw).listBoard({
        userId: crowdId(1),
        nowMs: TEST_START,
        unreadSinceMs: 5,
        before: null,
        limit: 99,
      }),
    reads: [
      'a USING INDEX announcements_board (publish_ms>? AND publish_ms<?)',
      't USING PRIMARY KEY (announcement_id=? AND target_id=?)',
      'users USING INDEX sqlite_autoindex_users_1 (id=?)',
      'servers USING INDEX servers_user (user_id=?)',
    ],
  },
  'a page of staff’s list of announcements': {
    ask: (_, raw) =>
      createAnnouncementsRepo(raw).listAll(
        { state: null, audience: null, search: '', nowMs: TEST_START },
        { ms: 5, id: 'a' },
        26,
      ),
    reads: ['a USING COVERING INDEX announcements_list ((created_ms,id)<(?,?))'],
  },
  'announcements that name a picture': {
    ask: (_, raw) => createAnnouncementsRepo(raw).listNaming(['a', 'b'], 50),
    reads: ['announcement_pictures USING COVERING INDEX announcement_pictures_picture (picture_id=?)'],
  },
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
      await balanceAfter(raw, { user_id: crowdId(1), number: 1, last_ms: 5, last_id: 'a' }),
    ],
    reads: [
      'p USING INDEX ledger_postings_source (source=? AND (created_ms,tx_id)>(?,?) AND created_ms<?)',
      'o USING PRIMARY KEY (tx_id=?)',
      'back USING COVERING INDEX ledger_transactions_reverses (reverses=?)',
      'p USING INDEX ledger_postings_destination (destination=? AND (created_ms,tx_id)>(?,?) AND created_ms<?)',
      'ledger_blocks USING INDEX ledger_blocks_user (user_id=? AND number<?)',
      'ledger_postings USING INDEX ledger_postings_destination (destination=? AND (created_ms,tx_id)<(?,?))',
      'ledger_postings USING INDEX ledger_postings_source (source=? AND (created_ms,tx_id)<(?,?))',
    ],
  },
  'credits earned since': {
    ask: ledger((repo) => repo.earnedSince(me, 1)),
    reads: [
      'ledger_postings USING INDEX ledger_postings_destination (destination=? AND created_ms>?)',
      'ledger_accruals USING PRIMARY KEY (account=?)',
    ],
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
  'accounts with something in common': {
    ask: abuse(async (repo) => [
      await repo.listShared(crowdId(1), ['device', 'payment']),
      await repo.listSharedWith(crowdId(1), crowdId(2)),
    ]),
    reads: [
      'abuse_signals USING PRIMARY KEY (user_id=? AND kind=?)',
      's',
      'o USING INDEX abuse_signals_first (kind=? AND value=?)',
      's USING PRIMARY KEY (user_id=?)',
      'o USING PRIMARY KEY (user_id=? AND kind=? AND value=?)',
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
  'users by credits': {
    ask: people((repo) => repo.list({ sort: 'credits', dir: 'desc', ...users })),
    reads: [
      'u USING COVERING INDEX users_all_seen',
      'b USING COVERING INDEX ledger_balances_wealth',
      'u USING COVERING INDEX users_traits (id=?)',
      'page',
      'u USING INDEX sqlite_autoindex_users_1 (id=?)',
      'ledger_balances USING PRIMARY KEY (account=?)',
    ],
  },
  'users by name': {
    ask: people((repo) => repo.list({ sort: 'username', dir: 'asc', ...users })),
    reads: [
      'u USING COVERING INDEX users_all_seen',
      'u USING INDEX sqlite_autoindex_users_2',
      'ledger_balances USING PRIMARY KEY (account=?)',
    ],
  },
  'users by creation': {
    ask: people((repo) => repo.list({ sort: 'created', dir: 'desc', ...users })),
    reads: [
      'u USING COVERING INDEX users_all_seen',
      'u USING INDEX users_all_created',
      'ledger_balances USING PRIMARY KEY (account=?)',
    ],
  },
  'a later page of the users of a role': {
    ask: people((repo) => repo.list({ sort: 'seen', dir: 'desc', roleId: 'r', after: seenPlace, ...users })),
    reads: [
      'u USING COVERING INDEX users_role_seen (role_id=?)',
      'u USING INDEX users_role_seen (role_id=? AND (seen_ms,id)<(?,?))',
      'ledger_balances USING PRIMARY KEY (account=?)',
    ],
  },
  'users whose address is not confirmed, by name, the page before': {
    ask: people((repo) => repo.list({ sort: 'username', dir: 'asc', unverified: true, before: namePlace, ...users })),
    reads: [
      'u USING COVERING INDEX users_unverified_username',
      'u USING INDEX users_unverified_username (username_key<?)',
      'ledger_balances USING PRIMARY KEY (account=?)',
    ],
  },
  'users who were not seen lately and have spent nothing': {
    ask: people((repo) =>
      repo.list({ sort: 'seen', dir: 'asc', unspent: true, seen: { fromMs: 1, toMs: 9 }, after: seenPlace, ...users }),
    ),
    reads: [
      'u USING COVERING INDEX users_unspent_seen (seen_ms>? AND seen_ms<?)',
      'u USING INDEX users_unspent_seen ((seen_ms,id)>(?,?) AND seen_ms<?)',
    ],
  },
  'banned users by credits': {
    ask: people((repo) => repo.list({ sort: 'credits', dir: 'desc', status: 'banned', ...users })),
    reads: [
      'u USING COVERING INDEX users_status_created (status=?)',
      'u USING INDEX users_status_created (status=?)',
      'b USING PRIMARY KEY (account=?)',
    ],
  },
  'users with a debt': {
    ask: people((repo) => repo.list({ sort: 'created', dir: 'desc', debt: true, ...users })),
    reads: [
      'u USING COVERING INDEX sqlite_autoindex_users_1 (id=?)',
      'ledger_balances USING PRIMARY KEY (account>? AND account<?)',
      'u USING INDEX sqlite_autoindex_users_1 (id=?)',
    ],
  },
  'servers by name': {
    ask: staff((repo) => repo.listServers({ sort: 'name', dir: 'asc', ...page })),
    reads: [
      's USING INDEX servers_by_name',
      'u USING INDEX sqlite_autoindex_users_1 (id=?)',
      'l USING INDEX sqlite_autoindex_locations_1 (id=?) LEFT-JOIN',
      'p USING INDEX sqlite_autoindex_panels_1 (id=?) LEFT-JOIN',
      's USING INDEX servers_by_port',
    ],
  },
  'places of a location that became free': {
    ask: (db, raw) => createWaitingListRepo(db, raw).countFreedSince(crowdId(1), 1),
    reads: ['servers USING COVERING INDEX servers_deleted (location_id=? AND state=? AND deleted_ms>?)'],
  },
  'servers by creation': {
    ask: staff((repo) => repo.listServers({ sort: 'created', dir: 'desc', ...page })),
    reads: [
      's USING INDEX servers_by_creation',
      'u USING INDEX sqlite_autoindex_users_1 (id=?)',
      'l USING INDEX sqlite_autoindex_locations_1 (id=?) LEFT-JOIN',
      'p USING INDEX sqlite_autoindex_panels_1 (id=?) LEFT-JOIN',
      's USING INDEX servers_by_port',
    ],
  },
  'the queue': {
    ask: staff((repo) => repo.listEntries({ dir: 'desc', ...page })),
    reads: [
      'q USING INDEX server_queue_by_creation',
      's USING INDEX sqlite_autoindex_servers_1 (id=?)',
      'u USING INDEX sqlite_autoindex_users_1 (id=?)',
      'l USING INDEX sqlite_autoindex_locations_1 (id=?) LEFT-JOIN',
      'p USING INDEX sqlite_autoindex_panels_1 (id=?) LEFT-JOIN',
      'j USING INDEX sqlite_autoindex_jobs_1 (id=?) LEFT-JOIN',
      'q USING COVERING INDEX server_queue_server',
      's USING COVERING INDEX sqlite_autoindex_servers_1 (id=?)',
    ],
  },
  'what every build asks': {
    ask: async (db, raw) => {
      const repo = createServersRepo(db, raw);
      await repo.lockBuild('q');
      await repo.findBuilds(['q']);
      await repo.completeBuild(crowdId(1), { panelState: 'ready', address: null }, 1);
    },
    reads: [
      'q USING INDEX sqlite_autoindex_server_queue_1 (id=?)',
      's USING INDEX sqlite_autoindex_servers_1 (id=?)',
      'j USING INDEX sqlite_autoindex_jobs_1 (id=?)',
      'u USING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN',
      'e USING INDEX sqlite_autoindex_eggs_1 (id=?) LEFT-JOIN',
      'l USING INDEX sqlite_autoindex_locations_1 (id=?) LEFT-JOIN',
      'a USING INDEX sqlite_autoindex_panel_accounts_1 (panel_id=? AND user_id=?) LEFT-JOIN',
      'b USING INDEX sqlite_autoindex_egg_bindings_1 (egg_id=? AND panel_id=?) LEFT-JOIN',
      'o USING PRIMARY KEY (panel=? AND node=?)',
      'n USING INDEX sqlite_autoindex_node_capacity_1 (panel_id=? AND node=?)',
      'p USING INDEX sqlite_autoindex_panels_1 (id=?)',
      'servers USING INDEX sqlite_autoindex_servers_1 (id=?)',
      'd USING COVERING INDEX server_debts_taken (taken_by=?)',
    ],
  },
  'sums of a day that are old enough': {
    ask: async (db, raw) => {
      await createCountersRepo(db, raw).purge('2026-01-01', 500);
      await createGiftsRepo(db, raw).purgeDays('2026-01-01', '', 500);
    },
    reads: [
      'earn_counters USING PRIMARY KEY (user_id=? AND source=? AND day=?)',
      'earn_counters USING COVERING INDEX earn_counters_day (day<?)',
      'gift_days USING PRIMARY KEY (user_id>?)',
    ],
  },
  'leases of due jobs': {
    ask: jobs((repo) => repo.lease(['note', 'mail'], LEASE)),
    reads: ['jobs USING INDEX sqlite_autoindex_jobs_1 (id=?)', 'jobs USING INDEX jobs_due (run_at_ms<?)'],
  },
  'leases of what was begun': {
    ask: jobs((repo) => repo.leaseBegun('build', LEASE)),
    reads: ['jobs USING INDEX sqlite_autoindex_jobs_1 (id=?)', 'jobs USING INDEX jobs_begun (kind=?)'],
  },
  'a lease from the head of a line': {
    ask: jobs((repo) =>
      repo.leaseFirst('build', LEASE, { servedSinceMs: 1, closed: { limitKeys: ['a'], placeKeys: ['b/c'] } }),
    ),
    reads: [
      'jobs USING INDEX sqlite_autoindex_jobs_1 (id=?)',
      'jobs USING INDEX jobs_waiting (kind=? AND group_key>?)',
      'w USING INDEX jobs_waiting (kind=? AND group_key>?)',
      'q USING INDEX sqlite_autoindex_jobs_1 (id=?)',
      'w USING INDEX jobs_waiting (kind=? AND group_key=?)',
      's USING COVERING INDEX jobs_served (kind=? AND group_key=? AND begun_ms>?)',
    ],
  },
  'a line, and what is begun': {
    ask: jobs(async (repo) => {
      await repo.listWaiting('build', 1, { servedSinceMs: 1, closed: { limitKeys: ['a'], placeKeys: [] }, limit: 10 });
      await repo.countBegunByLimit('build');
    }),
    reads: [
      'w USING INDEX jobs_waiting (kind=? AND group_key>?)',
      's USING COVERING INDEX jobs_served (kind=? AND group_key=? AND begun_ms>?)',
      'jobs USING INDEX jobs_begun (kind=?)',
    ],
  },
  'what was changed lately': {
    ask: (db, raw) => createOverviewRepo(db, raw).activity(1, 12, null),
    reads: ['audit USING INDEX audit_at (at_ms>?)', 'users USING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN'],
  },
  'the outbox': {
    ask: mails((repo) => repo.listOutbox({}, { createdMs: 5, id: 'm' }, 51)),
    reads: ['m USING INDEX mails_created ((created_ms,id)<(?,?))'],
  },
  'failed mails of a template': {
    ask: mails((repo) => repo.listOutbox({ state: 'failed', template: 'verify' }, null, 51)),
    reads: ['m USING INDEX mails_state (state=?)'],
  },
  'sent mails of a template': {
    ask: mails((repo) => repo.listOutbox({ state: 'sent', template: 'verify' }, null, 51)),
    reads: ['m USING INDEX mails_template (template=?)'],
  },
  'mails to whoever is called so': {
    ask: mails((repo) => repo.listOutbox({ search: 'ann', state: 'sent' }, null, 51)),
    reads: [
      'users USING INDEX sqlite_autoindex_users_2 (username_key=?)',
      'users USING INDEX sqlite_autoindex_users_3 (email_key=?)',
      'mails USING COVERING INDEX mails_address (address>? AND address<?)',
      'mails USING COVERING INDEX mails_user (user_id=?)',
      'm USING INDEX sqlite_autoindex_mails_1 (id=?)',
    ],
  },
  'figures of the outbox': {
    ask: mails(async (repo) => [await repo.count('sent', 1), await repo.oldest('queued', 1, 2)]),
    reads: ['mails USING COVERING INDEX mails_state (state=? AND created_ms>?)'],
  },
  'next users of a campaign': {
    ask: (db, raw) => createOwnMailsRepo(db, raw).listAudience(EVERYBODY, 'news', crowdId(5), 25),
    reads: [
      'u USING INDEX sqlite_autoindex_users_1 (id>?)',
      'o USING PRIMARY KEY (user_id=? AND kind=?)',
      'm USING COVERING INDEX mails_bounced (address=?)',
    ],
  },
  'orders of a buyer': {
    ask: (db) => ordersList(db).listOrders({ userId: 'u', sort: { by: 'created', dir: 'desc' }, ...page }),
    reads: [
      'payment_orders USING COVERING INDEX payment_orders_user (user_id=?)',
      'users USING COVERING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN',
    ],
  },
  orders: {
    ask: (db) => ordersList(db).listOrders({ sort: { by: 'created', dir: 'desc' }, ...page }),
    reads: [
      'payment_orders USING INDEX payment_orders_created',
      'imported_payments USING INDEX imported_payments_paid',
      'payment_orders USING COVERING INDEX payment_orders_user',
      'users USING COVERING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN',
      'imported_payments USING COVERING INDEX imported_payments_of_user',
    ],
  },
  'payments at other dashboards': {
    ask: (db) => ordersList(db).listOrders({ provider: 'imported', sort: { by: 'created', dir: 'desc' }, ...page }),
    reads: [
      'imported_payments USING INDEX imported_payments_paid',
      'imported_payments USING COVERING INDEX imported_payments_of_user',
      'users USING COVERING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN',
    ],
  },
  notifications: {
    ask: async (db, raw) => [
      await createNotificationsRepo(db, raw).latest('u', 20),
      await createNotificationsRepo(db, raw).unread('u'),
    ],
    reads: [
      'notifications USING INDEX notifications_of_user (user_id=?)',
      'notifications USING COVERING INDEX notifications_of_user (user_id=?)',
    ],
  },
  'the log of the queue': {
    ask: staff((repo) => repo.listLog(page)),
    reads: [
      'g USING INDEX server_queue_log_time',
      's USING INDEX sqlite_autoindex_servers_1 (id=?) LEFT-JOIN',
      'u USING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN',
      'q USING COVERING INDEX sqlite_autoindex_server_queue_1 (id=?) LEFT-JOIN',
      'g USING COVERING INDEX server_queue_log_server',
      's USING COVERING INDEX sqlite_autoindex_servers_1 (id=?) LEFT-JOIN',
    ],
  },
};

/** What a plan calls by a name of ours and is no table; and the roles, of which there are a handful. */
const LEFT_OUT =
  /^(?:source_side|destination_side|e|found|few|moved|g|q|t|\(subquery-\d+\)|CONSTANT ROW|r|r USING .*)$/;
/** Steps of a plan that read a table: `users USING INDEX users_created (…)`. */
const readsOf = (plan: string): string[] =>
  plan
    .split('\n')
    .flatMap((step) => /^(?:SEARCH|SCAN) (.*)$/.exec(step)?.[1] ?? [])
    .filter((step) => !LEFT_OUT.test(step));

const STATISTICS: Readonly<Record<string, (path: string) => void>> = {
  'no statistics': (path) => change(path, 'DROP TABLE IF EXISTS sqlite_stat1'),
  'statistics of a crowd': (path) => change(path, 'ANALYZE'),
  'statistics of a host where one account pays everybody': (path) => {
    change(
      path,
      'ANALYZE',
      'DELETE FROM sqlite_stat1',
      `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
        ('ledger_postings', 'ledger_postings', '10000000 1 1'), ('ledger_postings', 'ledger_postings_source', '10000000 10000000 40 1 1'),
        ('ledger_postings', 'ledger_postings_destination', '10000000 1000000 40 1 1'), ('users', 'users_status_created', '100000 50000 1'), ('users', 'users_all_created', '100000 50000'),
        ('users', 'users_role_created', '100000 100000 1 1'), ('ledger_balances', 'ledger_balances', '300000 1'), ('ledger_balances', 'ledger_balances_wealth', '300000 100 1'), ('roles', NULL, '3')`,
    );
  },
};
function change(path: string, ...statements: string[]): void {
  const database = new Database(path);
  for (const statement of statements) database.run(statement);
  database.close();
}

async function plansUnder(prepare: (path: string) => void): Promise<Record<string, string[]>> {
  const db = await openTestDb('sqlite');
  const path = 'path' in db.where ? db.where.path : '';
  await db.sql(
    "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES ('r', NULL, 'Member', '#888888', 1, 1, 0, 0)",
  );
  await db.database.close();
  fillCrowd(path, { users: 2000, movements: 20 });
  prepare(path);
  // Statistics are read when the file is opened.
  const again = openDatabase({ path, bus: createBus(testLog()), log: testLog() });
  const found: Record<string, string[]> = {};
  for (const [name, { ask }] of Object.entries(QUESTIONS)) {
    const plans = await plansOf({ ...db, database: again } satisfies TestDb, ask);
    found[name] = [...new Set(plans.flatMap(({ plan }) => readsOf(plan)))];
  }
  await again.close();
  await db.close();
  return found;
}

test.each(Object.entries(STATISTICS))(
  'T66 hot questions read along the same indexes whatever SQLite believes of the tables: %s',
  async (_, prepare) => {
    expect(await plansUnder(prepare)).toEqual(
      Object.fromEntries(Object.entries(QUESTIONS).map(([name, { reads }]) => [name, [...reads]])),
    );
  },
);
