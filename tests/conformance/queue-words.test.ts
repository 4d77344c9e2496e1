import { expect, setDefaultTimeout, test } from 'bun:test';
import { migrate } from '#server/data/migrate.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES } from '#tests/support/db.ts';
import { withMigrations } from '#tests/support/migrations.ts';

setDefaultTimeout(300_000);

const SERVER = `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired, revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms)
  VALUES (?, 'u', 'One', '', 'l', 'c', 'e', 1024, 1024, 100, 1, 0, 0, '{}', 'queued', 'running', 1, 0, 0, 0, 0, 1, 1)`;

test.each(ENGINES)(
  'an entry of before keeps since when it waits, its steps, and what was sent about capacity (%s)',
  (kind) =>
    withMigrations(
      kind,
      (name) => name !== '0036_queue_words',
      async (engine) => {
        await engine.write(async ({ raw }) => {
          for (const id of ['s1', 's2']) await raw.run(SERVER, [id]);
          await raw.run(
            `INSERT INTO server_queue (id, server_id, user_id, state, priority, attempts, created_ms, held_since_ms)
         VALUES ('q1', 's1', 'u', 'queued', 0, 0, 1, 555), ('q2', 's2', 'u', 'building', 0, 1, 2, NULL)`,
          );
          await raw.run(
            `INSERT INTO server_queue_log (id, queue_id, server_id, at_ms, code, detail)
         VALUES ('1', 'q1', 's1', 1, 'queued', NULL), ('2', 'q1', 's1', 2, 'claimed', NULL), ('3', 'q1', 's1', 3, 'held', 'panel')`,
          );
          await raw.run(
            `INSERT INTO notifications (id, user_id, kind, data, unique_key, created_ms)
         VALUES ('n1', 'u', 'roomFree', '{"location":"Berlin"}', 'roomFree:w', 1), ('n2', 'u', 'serverReady', '{}', 'k', 2)`,
          );
          await raw.run(
            `INSERT INTO mails (id, user_id, address, template, locale, subject, text, html, state, attempts, message_id, unique_key, created_ms)
         VALUES ('m1', 'u', 'a@example.org', 'roomFree', 'en', 's', 't', 'h', 'queued', 0, 'm1', 'roomFree:w', 1)`,
          );
        });
        await migrate(engine, TEST_START);
        const read = (sql: string) => engine.read(({ raw }) => raw.all(sql));
        expect(await read('SELECT id, waiting_since_ms FROM server_queue ORDER BY id')).toEqual([
          { id: 'q1', waiting_since_ms: 555 },
          { id: 'q2', waiting_since_ms: null },
        ]);
        expect(await read('SELECT code, detail FROM server_queue_log ORDER BY id')).toEqual([
          { code: 'queued', detail: null },
          { code: 'started', detail: null },
          { code: 'postponed', detail: 'panel' },
        ]);
        expect(await read('SELECT kind, unique_key FROM notifications ORDER BY id')).toEqual([
          { kind: 'capacityFree', unique_key: 'roomFree:w' },
          { kind: 'serverReady', unique_key: 'k' },
        ]);
        expect(await read('SELECT template, unique_key FROM mails ORDER BY id')).toEqual([
          { template: 'capacityFree', unique_key: 'roomFree:w' },
        ]);
      },
    ),
);
