import type { Raw } from '#server/data/raw.ts';
import { lockRow } from '#server/data/row.ts';
import type { Plugins } from '#server/data/schema.ts';
import type { PluginRow, PluginsRepo } from '#server/modules/plugins/ports.ts';
import type { PluginValues } from '#shared/plugins.ts';

const ADD = `INSERT INTO plugins (identifier, enabled, settings, secrets, revision, updated_ms)
  VALUES (?, 0, '{}', '{}', 0, ?) ON CONFLICT (identifier) DO NOTHING`;
const SAVE = `UPDATE plugins SET enabled = ?, settings = ?, secrets = ?, revision = ?, updated_ms = ? WHERE identifier = ?`;
const SPEND = `INSERT INTO plugin_budgets (identifier, day, credits) VALUES (?, ?, ?)
  ON CONFLICT (identifier, day) DO UPDATE SET credits = plugin_budgets.credits + excluded.credits
  WHERE plugin_budgets.credits + excluded.credits <= ?`;

// What stands in these columns was written here.
const toRow = (row: Plugins): PluginRow => ({
  identifier: row.identifier,
  isOn: row.enabled === 1,
  settings: JSON.parse(row.settings) as PluginValues,
  secrets: JSON.parse(row.secrets) as Record<string, string>,
  revision: row.revision,
  updatedMs: row.updated_ms,
});

/** Plugins in the database. */
export function createPluginsRepo(raw: Raw): PluginsRepo {
  return {
    async list() {
      return (await raw.all<Plugins>('SELECT * FROM plugins ORDER BY identifier')).map(toRow);
    },
    async lock(identifier, nowMs) {
      await raw.run(ADD, [identifier, nowMs]);
      const row = await lockRow(raw, 'plugins', { identifier });
      if (!row) throw new Error('a plugin that was just added is not there');
      return toRow(row);
    },
    async save({ identifier, isOn, settings, secrets, revision, updatedMs }) {
      await raw.run(SAVE, [
        isOn ? 1 : 0,
        JSON.stringify(settings),
        JSON.stringify(secrets),
        revision,
        updatedMs,
        identifier,
      ]);
    },
    async spendWithin(identifier, day, credits, max) {
      // The first row of a day has no sum in the table to compare with.
      if (credits > max) return false;
      return (await raw.run(SPEND, [identifier, day, credits, max])).changes === 1;
    },
    async purgeBudgets(beforeDay) {
      await raw.run('DELETE FROM plugin_budgets WHERE day < ?', [beforeDay]);
    },
  };
}
