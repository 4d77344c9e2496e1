import { define, type Migration } from './migration.ts';

/** Who granted an installed plugin what it may do; null: it was installed before this was kept. */
export const pluginGrantor: Migration = {
  name: '0110_plugin_grantor',
  up: (step) => define(step, ['ALTER TABLE plugin_packages ADD COLUMN granted_by TEXT']),
};
