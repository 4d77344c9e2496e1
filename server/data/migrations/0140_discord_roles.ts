import { define, oneOf, type Migration } from './migration.ts';

/** Roles in the host's Discord server: what is known of it, which role stands for what, and what was given to whom. */
export const discordRoles: Migration = {
  name: '0140_discord_roles',
  up: (step) =>
    define(step, [
      `CREATE TABLE discord_guild (
        id TEXT NOT NULL PRIMARY KEY,
        guild_id TEXT NOT NULL,
        name TEXT NOT NULL,
        roles TEXT NOT NULL,
        fault TEXT,
        fault_ms INTEGER,
        checked_ms INTEGER,
        rules TEXT NOT NULL,
        revision INTEGER NOT NULL
      )STRICT`,
      // Not bound to the rows of users: what was given is taken after an account is gone as well.
      `CREATE TABLE discord_role_members (
        subject TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL,
        guild_id TEXT NOT NULL,
        given TEXT NOT NULL,
        wanted TEXT NOT NULL,
        ${oneOf('state', ['done', 'absent', 'refused'])},
        next_ms INTEGER NOT NULL,
        unlinked_ms INTEGER
      )STRICT`,
      'CREATE INDEX discord_role_members_user ON discord_role_members (user_id)',
    ]),
};
