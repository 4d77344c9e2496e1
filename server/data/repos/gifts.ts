import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertRow } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import type { GiftsRepo } from '#server/modules/gifts/ports.ts';

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
    async purgeDays(beforeDay, afterUserId, limit) {
      const slice = await raw.one<{ last: string | null }>(
        'SELECT MAX(user_id) AS last FROM (SELECT user_id FROM gift_days WHERE user_id > ? ORDER BY user_id LIMIT ?) t',
        [afterUserId, limit],
      );
      const last = slice?.last ?? null;
      if (last !== null)
        await raw.run('DELETE FROM gift_days WHERE user_id > ? AND user_id <= ? AND day < ?', [
          afterUserId,
          last,
          beforeDay,
        ]);
      return last;
    },
  };
}
