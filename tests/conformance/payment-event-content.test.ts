import { expect, setDefaultTimeout, test } from 'bun:test';
import { migrate } from '#server/data/migrate.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES } from '#tests/support/db.ts';
import { withMigrations } from '#tests/support/migrations.ts';

setDefaultTimeout(300_000);

test.each(ENGINES)(
  'an event of before keeps what its gateway said, and one that has to be checked is still checked (%s)',
  (kind) =>
    withMigrations(
      kind,
      (name) => name < '0038_payment_event_content',
      async (engine) => {
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
      },
    ),
);
