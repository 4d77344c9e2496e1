import { define, type Migration } from './migration.ts';

/** What servers of eggs are run with in containers of this machine (JSON), and the scripts that install them. */
export const eggContainers: Migration = {
  name: '0217_egg_containers',
  up: (step) =>
    define(step, [
      "ALTER TABLE eggs ADD COLUMN container TEXT NOT NULL DEFAULT 'null'",
      "ALTER TABLE embedded_servers ADD COLUMN container TEXT NOT NULL DEFAULT 'null'",
      'CREATE TABLE install_scripts (id TEXT PRIMARY KEY, script TEXT NOT NULL)',
    ]),
};
