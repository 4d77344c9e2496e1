import { describe } from 'bun:test';
import { creditPackages } from '#shared/resources/credit-packages.ts';
import { ENGINES, type TestDb } from '#tests/support/db.ts';
import { crudSuite } from '../crud-suite.ts';

function addOrder(db: TestDb, packageId: string) {
  return db.sql(
    `INSERT INTO payment_orders (id, user_id, provider, state, package_id, label, currency, amount, tax, tax_rate, credits, bonus, locale, refunded, created_ms, updated_ms)
     VALUES (?, 'u', 'manual', 'pending', ?, 'Starter', 'EUR', 500, 0, 0, 100, 0, 'en', 0, 0, 0) RETURNING id`,
    [`order-${packageId}`, packageId],
  );
}

describe.each(ENGINES)('credit packages (%s)', (engine) => {
  crudSuite(
    creditPackages,
    {
      input: (n) => ({
        name: `Package ${String(n).padStart(2, '0')}`,
        price_minor: 100 * n,
        currency: 'EUR',
        credits: 50 + n,
        bonus: n % 3,
        position: (n * 5) % 7,
        visible: n % 2 === 0,
      }),
      change: { price_minor: 999, bonus: 7, currency: 'RON', visible: false },
      bad: [
        [{ price_minor: 0 }, 'price_minor', 'TOO_SMALL'],
        [{ price_minor: 1_000_000_001 }, 'price_minor', 'TOO_LARGE'],
        [{ price_minor: 4.99 }, 'price_minor', 'NOT_WHOLE'],
        [{ credits: 0 }, 'credits', 'TOO_SMALL'],
        [{ bonus: -1 }, 'bonus', 'TOO_SMALL'],
        [{ currency: 'EURO' }, 'currency', 'INVALID'],
        [{ currency: '€' }, 'currency', 'INVALID'],
        [{ name: '' }, 'name', 'REQUIRED'],
      ],
      unique: { field: 'name', code: 'NAME_TAKEN' },
      depend: { orders: (world, id) => addOrder(world.db, id) },
      text: 'name',
    },
    engine,
  );
});
