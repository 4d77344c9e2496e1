import { describe } from 'bun:test';
import { storeItems } from '#shared/resources/store-items.ts';
import { ENGINES } from '#tests/support/db.ts';
import { crudSuite } from '../crud-suite.ts';

const KINDS = ['memory', 'disk', 'cpu', 'slots', 'ports'] as const;

describe.each(ENGINES)('store items (%s)', (engine) => {
  crudSuite(
    storeItems,
    {
      input: (n) => ({
        name: `Item ${String(n).padStart(2, '0')}`,
        kind: KINDS[n % KINDS.length] ?? 'memory',
        quantity: 100 + n,
        price: 10 * n + 5,
        limit_total: 10_000 + n,
        position: (n * 5) % 7,
        visible: n % 2 === 0,
        vip_only: n % 3 === 0,
      }),
      // The shelves of a new installation are not empty.
      prepare: async (world) => {
        await world.db.sql('DELETE FROM store_items');
        return new Map();
      },
      change: { price: 999, visible: false, limit_total: 20_000 },
      bad: [
        [{ name: '' }, 'name', 'REQUIRED'],
        [{ kind: 'servers' }, 'kind', 'INVALID'],
        [{ kind: '' }, 'kind', 'INVALID'],
        [{ quantity: 0 }, 'quantity', 'TOO_SMALL'],
        [{ price: 0 }, 'price', 'TOO_SMALL'],
        [{ price: 1_000_001 }, 'price', 'TOO_LARGE'],
        [{ limit_total: 0 }, 'limit_total', 'TOO_SMALL'],
        [{ position: -1 }, 'position', 'TOO_SMALL'],
      ],
      unique: { field: 'name', code: 'NAME_TAKEN' },
      text: 'name',
      depend: {
        purchases: async (world, id) => {
          const user = await world.user(`buyer-${id.slice(-4)}`);
          await world.db.sql(
            `INSERT INTO store_purchases (id, user_id, item_id, kind, units, quantity, price_each, total, tx_id, created_ms, refunded_ms, refund_tx_id)
             VALUES (?, ?, ?, 'memory', 1, 100, 10, 10, ?, 1, NULL, NULL)`,
            [world.ids.uuid(), user, id, world.ids.uuid()],
          );
        },
      },
    },
    engine,
  );
});
