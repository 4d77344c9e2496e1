import { define, type Migration } from './migration.ts';

/** Keys of the roles that came with the installation and that staff deleted: a later start does not add them again. */
export const roleKeys: Migration = {
  name: '0039_role_keys',
  up: (step) =>
    define(step, [
      `CREATE TABLE deleted_role_keys (
        key TEXT NOT NULL PRIMARY KEY,
        deleted_ms INTEGER NOT NULL
      )KEYED`,
    ]),
};
