import { define, oneOf, type Migration } from './migration.ts';

/** The badge that stands beside a user's name, of those they own (behaviour 7.2). Nobody has chosen one so far. */
export const badge: Migration = {
  name: '0066_badge',
  up: (step) =>
    define(step, [
      `ALTER TABLE user_privacy ADD COLUMN ${oneOf('badge', ['none', 'role', 'supporter']).replace('NOT NULL', "NOT NULL DEFAULT 'none'")}`,
    ]),
};
