import { define, type Migration } from './migration.ts';

/** Webhooks became a plugin that is turned on and off: where there are endpoints, it is on, as it was. */
export const webhooksPlugin: Migration = {
  name: '0093_webhooks_plugin',
  up: (step) =>
    define(step, [
      `INSERT INTO plugins (identifier, enabled, settings, secrets, revision, updated_ms)
        SELECT 'webhooks', 1, '{}', '{}', 0, 0
        WHERE EXISTS (SELECT 1 FROM webhook_endpoints WHERE removed_ms IS NULL)
          AND NOT EXISTS (SELECT 1 FROM plugins WHERE identifier = 'webhooks')`,
    ]),
};
