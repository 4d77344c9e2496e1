import { expect, setDefaultTimeout, test } from 'bun:test';
import { createBus } from '#server/data/bus.ts';
import { migrate } from '#server/data/migrate.ts';
import { MIGRATIONS } from '#server/data/migrations/list.ts';
import { openPostgres } from '#server/data/postgres.ts';
import { openSqlite } from '#server/data/sqlite.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES, postgresPlace, sqlitePlace } from '#tests/support/db.ts';
import { testLog } from '#tests/support/log.ts';

setDefaultTimeout(60_000);

test.each(ENGINES)(
  'an event of before keeps what its gateway said, and one that has to be checked is still checked (%s)',
  async (kind) => {
    const place = kind === 'sqlite' ? sqlitePlace() : await postgresPlace();
    const { publish } = createBus(testLog());
    const engine =
      'path' in place.where
        ? openSqlite(place.where.path, publish, testLog())
        : openPostgres(place.where.url, publish, testLog());
    try {
      await migrate(
        engine,
        TEST_START,
        MIGRATIONS.filter(({ name }) => name < '0038_payment_event_content'),
      );
      const paid = JSON.stringify({ kind: 'paid', orderId: '"kind":"look"', ref: 'look' });
      const check = JSON.stringify({ kind: 'look', money: true, orderId: 'look', ref: null, paymentRef: 'p' });
      await engine.write(async ({ raw }) => {
        for (const [id, notice] of [
          ['check', check],
          ['paid', paid],
        ] as const)
          await raw.run(
            `INSERT INTO payment_events (id, provider, event_id, type, order_id, outcome, reason, notice, payload, received_ms)
           VALUES (?, 'stripe', ?, 't', NULL, 'received', NULL, ?, '', 1)`,
            [id, id, notice],
          );
      });
      await migrate(engine, TEST_START);
      const rows = await engine.read(({ raw }) => raw.all('SELECT id, content FROM payment_events ORDER BY id'));
      expect(rows).toEqual([
        {
          id: 'check',
          content: JSON.stringify({ kind: 'check', money: true, orderId: 'look', ref: null, paymentRef: 'p' }),
        },
        { id: 'paid', content: paid },
      ]);
    } finally {
      await engine.close();
      await place.remove();
    }
  },
);
