import { define, type Migration } from './migration.ts';

/** Sessions of staff that view as a user (behaviour 8.3): as whom, and until when. It ends with the session. */
export const viewing: Migration = {
  name: '0048_viewing',
  up: (step) =>
    define(step, [
      'ALTER TABLE sessions ADD COLUMN viewed_user_id TEXT',
      'ALTER TABLE sessions ADD COLUMN viewing_until_ms INTEGER',
      'CREATE INDEX sessions_viewed ON sessions (viewed_user_id) WHERE viewed_user_id IS NOT NULL',
      'CREATE INDEX sessions_viewing_end ON sessions (viewing_until_ms) WHERE viewing_until_ms IS NOT NULL',
    ]),
};
