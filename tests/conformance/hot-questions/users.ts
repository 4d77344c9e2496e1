import { createAbuseRepo } from '#server/data/repos/abuse.ts';
import { createOverviewRepo } from '#server/data/repos/overview.ts';
import { createPeopleRepo } from '#server/data/repos/people.ts';
import { crowdId } from '#tests/support/crowd.ts';
import { SEEN_PLACE, type Ask, type Questions } from './question.ts';

const namePlace = { value: 'crowd0000005', id: crowdId(5) };
const users = { limit: 25, nowMs: 0, byAddress: true };
const people =
  (ask: (repo: ReturnType<typeof createPeopleRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createPeopleRepo(db, raw));
const abuse =
  (ask: (repo: ReturnType<typeof createAbuseRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createAbuseRepo(db, raw));

/** Of users: staff's lists of them, what accounts have in common, what was changed. */
export const USERS_QUESTIONS: Questions = {
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
    ask: people((repo) => repo.list({ sort: 'seen', dir: 'desc', roleId: 'r', after: SEEN_PLACE, ...users })),
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
      repo.list({ sort: 'seen', dir: 'asc', unspent: true, seen: { fromMs: 1, toMs: 9 }, after: SEEN_PLACE, ...users }),
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
  'what was changed lately': {
    ask: (db, raw) => createOverviewRepo(db, raw).activity(1, 12, null),
    reads: ['audit USING INDEX audit_at (at_ms>?)', 'users USING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN'],
  },
};
