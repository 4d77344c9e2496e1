import { define, type Migration } from './migration.ts';

/**
 * What a one-time link stands on: a link for a new password is worth nothing once the password or the address it was
 * sent for has changed (behaviour 3.7).
 */
export const passwordResets: Migration = {
  name: '0016_password_resets',
  up: (step) => define(step, ['ALTER TABLE one_time_tokens ADD COLUMN bound_to TEXT']),
};
