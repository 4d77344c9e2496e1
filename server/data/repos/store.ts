import type { Kysely, Selectable } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { Raw } from '#server/data/raw.ts';
import { findRow, insertRow } from '#server/data/row.ts';
import type { DB, StorePurchases } from '#server/data/schema.ts';
import type { Purchase, StoreItem, StoreRepo } from '#server/modules/store/ports.ts';
import { RESOURCE_KINDS, type ResourceKind } from '#shared/constants.ts';

/** The kind a row names; a check in the database keeps others out. */
function toKind(text: string): ResourceKind {
  const kind = RESOURCE_KINDS.find((known) => known === text);
  if (!kind) throw new Error(`unknown kind of resource: ${text}`);
  return kind;
}

const toItem = (row: Selectable<DB['store_items']>): StoreItem => ({
  id: row.id,
  kind: toKind(row.kind),
  quantity: row.quantity,
  price: row.price,
  limitTotal: row.limit_total,
  position: row.position,
  visible: row.visible === 1,
  vipOnly: row.vip_only === 1,
});

const toPurchase = (row: Selectable<StorePurchases>): Purchase => ({
  id: row.id,
  userId: row.user_id,
  itemId: row.item_id,
  kind: toKind(row.kind),
  units: row.units,
  quantity: row.quantity,
  priceEach: row.price_each,
  total: row.total,
  txId: row.tx_id,
  createdMs: row.created_ms,
  refundedMs: row.refunded_ms,
});

/** Store items and purchases in the database. */
export function createStoreRepo(db: Kysely<DB>, raw: Raw): StoreRepo {
  return {
    async items() {
      const rows = await db
        .selectFrom('store_items')
        .selectAll()
        .where('visible', '=', 1)
        .orderBy('position')
        .orderBy('id')
        .execute();
      return rows.map(toItem);
    },
    async item(id) {
      const row = await findRow(raw, 'store_items', { id });
      return row ? toItem(row) : null;
    },
    async addPurchase({ id, userId, itemId, kind, units, quantity, priceEach, total, txId, createdMs }) {
      await insertRow(raw, 'store_purchases', {
        id,
        user_id: userId,
        item_id: itemId,
        kind,
        units,
        quantity,
        price_each: priceEach,
        total,
        tx_id: txId,
        created_ms: createdMs,
        refunded_ms: null,
        refund_tx_id: null,
      });
    },
    async lockPurchase(id) {
      const row = await forUpdate(db.selectFrom('store_purchases').selectAll().where('id', '=', id)).executeTakeFirst();
      return row ? toPurchase(row) : null;
    },
    async purchasesOf(userId, limit) {
      const rows = await db
        .selectFrom('store_purchases')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toPurchase);
    },
    async markRefunded(id, refundTxId, atMs) {
      const marked = await db
        .updateTable('store_purchases')
        .set({ refunded_ms: atMs, refund_tx_id: refundTxId })
        .where('id', '=', id)
        .where('refunded_ms', 'is', null)
        .returning('id')
        .execute();
      return marked.length > 0;
    },
  };
}
