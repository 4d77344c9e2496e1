import { define, type Migration } from './migration.ts';

/** The few servers that are suspended are found among all, for a reason and in the order in which they are paid again. */
export const suspendedServers: Migration = {
  name: '0222_suspended_servers',
  up: (step) =>
    define(step, [
      'CREATE INDEX servers_suspended ON servers (suspend_reason, user_id, auto_renew_order, expires_ms, id) WHERE suspend_reason IS NOT NULL',
    ]),
};
