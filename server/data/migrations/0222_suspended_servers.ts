import { define, type Migration } from './migration.ts';

/** The few suspended servers are found among all, by reason and in the order in which they are paid again. */
export const suspendedServers: Migration = {
  name: '0222_suspended_servers',
  up: (step) =>
    define(step, [
      `CREATE INDEX servers_suspended ON servers (suspend_reason, user_id, auto_renew_order, expires_ms, id)
        WHERE suspend_reason IS NOT NULL`,
    ]),
};
