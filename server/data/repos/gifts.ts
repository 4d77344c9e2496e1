import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertRow } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import { deleteAlongKey } from '#server/data/slices.ts';
import type { GiftsRepo } from '#server/modules/gifts/ports.ts';

const DAYS = { table: 'gift_days', key: 'user_id', age: 'day' } as const;

/** Gifts and their daily sums in the database. */
export function createGiftsRepo(db: Kysely<DB>, raw: Raw): GiftsRepo {
  return {
    async add({ id, senderId, recipientId, amount, fee, note, txId, createdMs }) {
      await insertRow(raw, 'gifts', {
        id,
        sender_id: senderId,
        recipient_id: recipientId,
        amount,
        fee,
        note,
        tx_id: txId,
        created_ms: createdMs,
      });
    },
    async moved(userId, side, day) {
      const found = db
        .selectFrom('gift_days')
        .select('credits')
        .where('user_id', '=', userId)
        .where('side', '=', side)
        .where('day', '=', day);
      return (await found.executeTakeFirst())?.credits ?? 0;
    },
    async addWithin(userId, side, day, credits, max) {
      if (credits > max) return false;
      const row = await raw.one(
        `INSERT INTO gift_days (user_id, side, day, credits) VALUES (?, ?, ?, ?)
         ON CONFLICT (user_id, side, day) DO UPDATE SET credits = gift_days.credits + excluded.credits
         WHERE gift_days.credits + excluded.credits <= ? RETURNING credits`,
        [userId, side, day, credits, max],
      );
      return row !== undefined;
    },
    purgeDays: (beforeDay, afterUserId, limit) => deleteAlongKey(raw, DAYS, beforeDay, afterUserId, limit),
  };
}
