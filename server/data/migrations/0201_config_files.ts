import { define, type Migration } from './migration.ts';

/** Configuration files of eggs of this machine, and of the servers that run them (JSON). */
export const configFiles: Migration = {
  name: '0201_config_files',
  up: (step) =>
    define(step, [
      "ALTER TABLE eggs ADD COLUMN config_files TEXT NOT NULL DEFAULT '[]'",
      "ALTER TABLE embedded_servers ADD COLUMN config_files TEXT NOT NULL DEFAULT '[]'",
    ]),
};
