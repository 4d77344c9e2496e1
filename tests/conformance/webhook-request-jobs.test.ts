import { expect, setDefaultTimeout, test } from 'bun:test';
import { migrate } from '#server/data/migrate.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES } from '#tests/support/db.ts';
import { withMigrations } from '#tests/support/migrations.ts';

setDefaultTimeout(300_000);

test.each(ENGINES)(
  'jobs of webhooks that waited under their former name are carried out under the new one (%s)',
  (kind) =>
    withMigrations(
      kind,
      (name) => name !== '0101_webhook_request_jobs',
      async (engine) => {
        await engine.write(async ({ raw }) => {
          for (const [id, name] of [
            ['j1', 'webhooks.wake'],
            ['j2', 'servers.sync'],
          ] as const)
            await raw.run(
              `INSERT INTO jobs (id, kind, payload, unique_key, run_at_ms, attempts, max_attempts, lease_until_ms, rerun, state, created_ms)
             VALUES (?, ?, '{"endpointId":"e"}', ?, 1, 0, 5, 0, 0, 'ready', 1)`,
              [id, name, `${name}:e`],
            );
        });
        await migrate(engine, TEST_START);
        expect(await engine.read(({ raw }) => raw.all('SELECT id, kind FROM jobs ORDER BY id'))).toEqual([
          { id: 'j1', kind: 'webhooks.request_sending' },
          { id: 'j2', kind: 'servers.sync' },
        ]);
      },
    ),
);
