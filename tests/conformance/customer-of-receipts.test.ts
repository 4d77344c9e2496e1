import { expect, setDefaultTimeout, test } from 'bun:test';
import { migrate } from '#server/data/migrate.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES } from '#tests/support/db.ts';
import { withMigrations } from '#tests/support/migrations.ts';

setDefaultTimeout(300_000);

const ADD_ORDER = `INSERT INTO payment_orders (id, user_id, provider, state, currency, amount, tax, tax_rate, credits, bonus, locale, credited_tx, clawed_back, moves, refunded, created_ms, updated_ms, paid_ms, code)
  VALUES (?, 'u', 'stripe', 'paid', 'EUR', 500, 0, 0, 500, 20, 'en', 't', 0, 0, 0, 1, 2, 2, ?)`;
const PARTY = { name: 'Ann "buyer":{ B', username: 'ann', email: 'ann@example.org' };
const SELLER = { name: 'A host', lines: ['"buyer":{', 'buyer'], vat: '' };

test.each(ENGINES)('receipts of before name the same customer, and a task keeps when it runs next (%s)', (kind) =>
  withMigrations(
    kind,
    (name) => name !== '0209_customer_of_receipts',
    async (engine) => {
      await engine.write(async ({ raw }) => {
        for (const [index, id] of ['o1', 'o2'].entries()) {
          await raw.run(ADD_ORDER, [id, id]);
          await raw.run(
            'INSERT INTO payment_receipts (order_id, number, label, facts, issued_ms) VALUES (?, ?, ?, ?, 3)',
            [id, index + 1, `R-${index}`, JSON.stringify({ seller: SELLER, buyer: PARTY })],
          );
        }
        await raw.run(
          "INSERT INTO schedules (name, next_ms, last_ms, last_error) VALUES ('machine.look', 7, 6, NULL), ('machine.usage', 5, 4, NULL)",
          [],
        );
      });

      await migrate(engine, TEST_START);

      const facts = await engine.read(({ raw }) => raw.all<{ facts: string }>('SELECT facts FROM payment_receipts'));
      const expected = { seller: SELLER, customer: PARTY };
      expect(facts.map((row) => JSON.parse(row.facts) as unknown)).toEqual([expected, expected]);
      expect(await engine.read(({ raw }) => raw.all('SELECT name, next_ms FROM schedules ORDER BY name'))).toEqual([
        { name: 'machine.inspect', next_ms: 7 },
        { name: 'machine.usage', next_ms: 5 },
      ]);
    },
  ),
);
