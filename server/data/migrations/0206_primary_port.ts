import { define, type Migration } from './migration.ts';

/** The port of a server that its owner chose as the primary one: as wanted, and as the built-in panel has it. */
export const primaryPort: Migration = {
  name: '0206_primary_port',
  up: (step) =>
    define(step, [
      'ALTER TABLE servers ADD COLUMN primary_port INTEGER',
      'ALTER TABLE embedded_servers ADD COLUMN primary_port INTEGER',
    ]),
};
