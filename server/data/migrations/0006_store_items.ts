import type { Migration } from './migration.ts';

/**
 * What the store offers on a new installation (behaviour 5.1): kind, quantity a unit, price a unit, most a user may
 * have.
 */
const ITEMS = [
  ['memory', 1024, 150, 16_384],
  ['disk', 1024, 200, 102_400],
  ['cpu', 100, 300, 800],
  ['slots', 1, 500, 10],
  ['ports', 1, 100, 20],
  ['databases', 1, 200, 10],
  ['backups', 1, 150, 10],
] as const;

/** Fixed identifiers in the form of a version 7 UUID, so that the same item is the same on every installation. */
const idOf = (index: number) => `018f0000-0000-7000-8000-00000000000${index + 1}`;

/** The store's first items. A migration, so that items an admin deletes stay deleted. */
export const storeItems: Migration = {
  name: '0006_store_items',
  async up({ raw, nowMs }) {
    for (const [index, [kind, quantity, price, limit]] of ITEMS.entries()) {
      await raw.run(
        `INSERT INTO store_items (id, kind, quantity, price, limit_total, position, visible, vip_only, created_ms, updated_ms)
         VALUES (?, ?, ?, ?, ?, ?, 1, 0, ?, ?)`,
        [idOf(index), kind, quantity, price, limit, index + 1, nowMs, nowMs],
      );
    }
  },
};
