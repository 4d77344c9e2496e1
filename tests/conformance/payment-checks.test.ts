import { expect, setDefaultTimeout, test } from 'bun:test';
import { migrate } from '#server/data/migrate.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES } from '#tests/support/db.ts';
import { withMigrations } from '#tests/support/migrations.ts';

setDefaultTimeout(300_000);

test.each(ENGINES)('an order of before keeps how often its gateway was asked, and when it is asked next (%s)', (kind) =>
  withMigrations(
    kind,
    (name) => name < '0037_payment_checks',
    async (engine) => {
      await engine.write(({ raw }) =>
        raw.run(
          `INSERT INTO payment_orders (id, user_id, provider, state, currency, amount, tax, tax_rate, credits, bonus, locale, refunded, looks, look_ms, created_ms, updated_ms)
         VALUES ('waits', 'u', 'stripe', 'pending', 'EUR', 500, 0, 0, 1000, 0, 'en', 0, 3, 777, 1, 1), ('over', 'u', 'stripe', 'expired', 'EUR', 500, 0, 0, 1000, 0, 'en', 0, 9, NULL, 1, 1)`,
        ),
      );
      await migrate(engine, TEST_START);
      const rows = await engine.read(({ raw }) =>
        raw.all('SELECT id, checks, next_check_ms FROM payment_orders ORDER BY id'),
      );
      expect(rows).toEqual([
        { id: 'over', checks: 9, next_check_ms: null },
        { id: 'waits', checks: 3, next_check_ms: 777 },
      ]);
    },
  ),
);
