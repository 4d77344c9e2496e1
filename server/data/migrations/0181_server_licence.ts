import { define, type Migration } from './migration.ts';

/** When a server's owner accepted the licence of the game that it runs; null: not yet. Who did is in the audit log. */
export const serverLicence: Migration = {
  name: '0181_server_licence',
  up: (step) => define(step, ['ALTER TABLE embedded_servers ADD COLUMN licence_ms INTEGER']),
};
