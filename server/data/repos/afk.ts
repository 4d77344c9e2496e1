import type { Kysely, Selectable } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { AfkSessions, DB } from '#server/data/schema.ts';
import type { AfkRepo, AfkRow, EndReason } from '#server/modules/rewards/afk/ports.ts';

const toRow = (row: Selectable<AfkSessions>): AfkRow => ({
  id: row.id,
  userId: row.user_id,
  sessionId: row.session_id,
  device: row.device,
  startedMs: row.started_ms,
  lastBeatMs: row.last_beat_ms,
  countedMs: row.counted_ms,
  minutes: row.minutes,
  earned: row.earned,
  challenge: row.challenge,
  challengeMs: row.challenge_ms,
  endedMs: row.ended_ms,
  // Only `end`, `endOpen`, `endSilent` and `saveBeat` below write this column.
  endReason: row.end_reason as EndReason | null,
  takenBy: row.taken_by,
});

/** AFK sessions in the database. A partial unique index allows one open session a user. */
export function createAfkRepo(db: Kysely<DB>): AfkRepo {
  const ofId = (id: string) => db.selectFrom('afk_sessions').selectAll().where('id', '=', id);
  const change = () => db.updateTable('afk_sessions').where('ended_ms', 'is', null);
  return {
    async add({ id, userId, sessionId, device, startedMs }) {
      const added = await db
        .insertInto('afk_sessions')
        .values({
          id, user_id: userId, session_id: sessionId, device, started_ms: startedMs, last_beat_ms: 0, counted_ms: 0, minutes: 0, earned: 0,
          challenge: null, challenge_ms: null, ended_ms: null, end_reason: null, taken_by: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute();
      return added.length > 0;
    },
    async find(id) {
      const row = await ofId(id).executeTakeFirst();
      return row ? toRow(row) : null;
    },
    async lock(id) {
      const row = await forUpdate(ofId(id)).executeTakeFirst();
      return row ? toRow(row) : null;
    },
    async open(userId) {
      const row = await db.selectFrom('afk_sessions').selectAll().where('user_id', '=', userId).where('ended_ms', 'is', null).executeTakeFirst();
      return row ? toRow(row) : null;
    },
    async endOpen(userId, { atMs, reason, takenBy }) {
      const row = await change()
        .set({ ended_ms: atMs, end_reason: reason, taken_by: takenBy })
        .where('user_id', '=', userId)
        .returningAll()
        .executeTakeFirst();
      return row ? toRow(row) : null;
    },
    async end(id, reason, atMs) {
      const ended = await change().set({ ended_ms: atMs, end_reason: reason }).where('id', '=', id).returning('id').execute();
      return ended.length > 0;
    },
    async endSilent(beforeMs, atMs) {
      const ended = await change()
        .set({ ended_ms: atMs, end_reason: 'idle' satisfies EndReason })
        .where('started_ms', '<', beforeMs)
        .where('last_beat_ms', '<', beforeMs)
        .returning('user_id')
        .execute();
      return ended.map((row) => row.user_id);
    },
    async issue(id, after, challenge, atMs) {
      const issue = change().set({ challenge, challenge_ms: atMs }).where('id', '=', id);
      const issued = await (after === null ? issue : issue.where('challenge', '=', after)).returning('id').execute();
      return issued.length > 0;
    },
    async saveBeat(id, beat) {
      await change()
        .set({
          last_beat_ms: beat.lastBeatMs, counted_ms: beat.countedMs, minutes: beat.minutes, earned: beat.earned, challenge_ms: null,
          ended_ms: beat.endedMs, end_reason: beat.endReason,
        })
        .where('id', '=', id)
        .execute();
    },
    async login(sessionId, nowMs) {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .select('sessions.device')
        .where('sessions.id', '=', sessionId)
        .where('sessions.expires_ms', '>', nowMs)
        .where((is) =>
          is.or([is('users.status', '=', 'active'), is.and([is('users.status', '=', 'banned'), is('users.banned_until_ms', '<=', nowMs)])]),
        )
        .executeTakeFirst();
      return row ?? null;
    },
  };
}
