import { createJobsRepo } from '#server/data/repos/jobs.ts';
import { createWaitingListRepo } from '#server/data/repos/waiting-list.ts';
import { createServersRepo } from '#server/data/repos/servers.ts';
import { createStaffServersRepo } from '#server/data/repos/staff-servers.ts';
import { crowdId } from '#tests/support/crowd.ts';
import { FIRST_PAGE, type Ask, type Questions } from './question.ts';

const LEASE = { token: 't', nowMs: 1, leaseMs: 1, limit: 4 };
const staff =
  (ask: (repo: ReturnType<typeof createStaffServersRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createStaffServersRepo(raw));
const jobs =
  (ask: (repo: ReturnType<typeof createJobsRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createJobsRepo(raw));

/** Of servers: staff's lists of them, their queue, and the jobs that build them. */
export const SERVERS_QUESTIONS: Questions = {
  'servers by name': {
    ask: staff((repo) => repo.listServers({ sort: 'name', dir: 'asc', ...FIRST_PAGE })),
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
  'servers whose owner was banned or is no longer': {
    ask: (db, raw) => createServersRepo(db, raw).listOwnersOutOfStep(40),
    reads: [
      's USING INDEX servers_suspended (suspend_reason=?)',
      'u USING COVERING INDEX users_traits (id=?)',
      'u USING COVERING INDEX users_status_created',
      's EXISTS USING INDEX servers_user (user_id=? AND state=?)',
    ],
  },
  'servers by creation': {
    ask: staff((repo) => repo.listServers({ sort: 'created', dir: 'desc', ...FIRST_PAGE })),
    reads: [
      's USING INDEX servers_by_creation',
      'u USING INDEX sqlite_autoindex_users_1 (id=?)',
      'l USING INDEX sqlite_autoindex_locations_1 (id=?) LEFT-JOIN',
      'p USING INDEX sqlite_autoindex_panels_1 (id=?) LEFT-JOIN',
      's USING INDEX servers_by_port',
    ],
  },
  'the queue': {
    ask: staff((repo) => repo.listEntries({ dir: 'desc', ...FIRST_PAGE })),
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
  'the log of the queue': {
    ask: staff((repo) => repo.listLog(FIRST_PAGE)),
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
