import { define, type Migration } from './migration.ts';

/**
 * Skins that users upload. The picture is text (base64 of a PNG of a few KB), so that both engines keep it alike; it
 * goes with its user.
 */
export const userSkins: Migration = {
  name: '0008_user_skins',
  up: (step) =>
    define(step, [
      `CREATE TABLE user_skins (
        user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
        png TEXT NOT NULL CHECK (length(png) BETWEEN 1 AND 90000),
        sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
        updated_ms INTEGER NOT NULL
      )KEYED`,
    ]),
};
