import { define, type Migration } from './migration.ts';

/**
 * What the list of users is filtered by, by user: along the order of the wallets most users may be passed over, and
 * here they are known without being read.
 */
export const userTraits: Migration = {
  name: '0066_user_traits',
  up: (step) => define(step, ['CREATE INDEX users_traits ON users (id, role_id, status, verified_ms, factor, spent)']),
};
