import { define, type Migration } from './migration.ts';

/**
 * Pictures of the installation, each in the forms that pages ask for. Bytes are text (base64), as those of skins are,
 * so that both engines keep them alike and a backup of the database has them.
 */
export const pictures: Migration = {
  name: '0061_pictures',
  up: (step) =>
    define(step, [
      `CREATE TABLE pictures (
        id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 32),
        kind TEXT NOT NULL,
        created_ms INTEGER NOT NULL
      )KEYED`,
      `CREATE TABLE picture_forms (
        picture_id TEXT NOT NULL REFERENCES pictures (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        type TEXT NOT NULL,
        width INTEGER NOT NULL CHECK (width > 0),
        height INTEGER NOT NULL CHECK (height > 0),
        bytes TEXT NOT NULL CHECK (length(bytes) BETWEEN 1 AND 12000000),
        PRIMARY KEY (picture_id, name)
      )STRICT`,
    ]),
};
