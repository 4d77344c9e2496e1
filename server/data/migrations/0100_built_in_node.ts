import { define, type Migration } from './migration.ts';

/**
 * Servers of the built-in panel that really run (behaviour 6.7). `recipe`: how it runs; null: it is imitated. The
 * highest `revision` is what the machine brings it to. `deleting`: its deletion was ordered, and goes on.
 */
export const builtInNode: Migration = {
  name: '0100_built_in_node',
  up: (step) =>
    define(step, [
      'ALTER TABLE embedded_servers ADD COLUMN recipe TEXT',
      'ALTER TABLE embedded_servers ADD COLUMN revision INTEGER NOT NULL DEFAULT 0',
      'ALTER TABLE embedded_servers ADD COLUMN deleting INTEGER NOT NULL DEFAULT 0 CHECK (deleting IN (0, 1))',
    ]),
};
