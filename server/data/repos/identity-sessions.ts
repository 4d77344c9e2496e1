import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { findRow } from '#server/data/row.ts';
import type { DB, Sessions } from '#server/data/schema.ts';
import type { IdentityRepo, SessionRow } from '#server/modules/identity/ports.ts';

const toSession = (row: Selectable<Sessions>): SessionRow => ({
  id: row.id,
  userId: row.user_id,
  tokenHash: row.token_hash,
  device: row.device,
  userAgent: row.user_agent,
  address: row.address,
  createdMs: row.created_ms,
  seenMs: row.seen_ms,
  expiresMs: row.expires_ms,
  factorMs: row.second_factor_ms,
  viewing:
    row.viewed_user_id === null || row.viewing_until_ms === null
      ? null
      : { userId: row.viewed_user_id, untilMs: row.viewing_until_ms },
  confirmedMs: row.confirmed_ms,
  boundDevice: row.bound_device,
  boundNetwork: row.bound_network,
});

type SessionPart = Pick<
  IdentityRepo,
  | 'addSession'
  | 'findSessionByHash'
  | 'listSessions'
  | 'touchSession'
  | 'rotateSession'
  | 'endSession'
  | 'endSessions'
  | 'trimSessions'
>;

/** Notes with a user when they were last seen. */
async function markSeen(db: Kysely<DB>, userId: string, seenMs: number): Promise<void> {
  await db
    .updateTable('users')
    .set({ seen_ms: seenMs })
    .where('id', '=', userId)
    .where('seen_ms', '<', seenMs)
    .execute();
}

/** Sessions in the database. */
export function sessionsPart(db: Kysely<DB>, raw: Raw): SessionPart {
  const ids = (rows: { id: string }[]) => rows.map((row) => row.id);
  return {
    async addSession(session) {
      await markSeen(db, session.userId, session.seenMs);
      await db
        .insertInto('sessions')
        .values({
          id: session.id,
          user_id: session.userId,
          token_hash: session.tokenHash,
          device: session.device,
          user_agent: session.userAgent,
          address: session.address,
          created_ms: session.createdMs,
          seen_ms: session.seenMs,
          expires_ms: session.expiresMs,
          second_factor_ms: null,
          confirmed_ms: null,
          viewed_user_id: null,
          viewing_until_ms: null,
          bound_device: session.boundDevice ?? null,
          bound_network: null,
        })
        .execute();
    },
    async findSessionByHash(tokenHash) {
      const row = await findRow(raw, 'sessions', { token_hash: tokenHash });
      return row ? toSession(row) : null;
    },
    async listSessions(userId, nowMs) {
      const rows = await db
        .selectFrom('sessions')
        .selectAll()
        .where('user_id', '=', userId)
        .where('expires_ms', '>', nowMs)
        .orderBy('seen_ms', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toSession);
    },
    async touchSession({ id, userId }, seenMs, expiresMs) {
      // The user first, as whoever ends sessions locks them: two that wait for each other would both fail.
      await markSeen(db, userId, seenMs);
      await db
        .updateTable('sessions')
        .set({ seen_ms: seenMs, expires_ms: expiresMs })
        .where('id', '=', id)
        .where('seen_ms', '<', seenMs)
        .execute();
    },
    async rotateSession(id, tokenHash, expiresMs) {
      const rotated = await db
        .updateTable('sessions')
        .set({ token_hash: tokenHash, expires_ms: expiresMs })
        .where('id', '=', id)
        .returning('id')
        .execute();
      return rotated.length > 0;
    },
    async endSession(id, userId) {
      const ended = await db
        .deleteFrom('sessions')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returning('id')
        .execute();
      return ended.length > 0;
    },
    async endSessions(userId, exceptId) {
      let query = db.deleteFrom('sessions').where('user_id', '=', userId).returning('id');
      if (exceptId !== null) query = query.where('id', '!=', exceptId);
      return ids(await query.execute());
    },
    async trimSessions(userId, keep) {
      const kept = db
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('seen_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(keep);
      return ids(
        await db
          .deleteFrom('sessions')
          .where('user_id', '=', userId)
          .where('id', 'not in', kept)
          .returning('id')
          .execute(),
      );
    },
  };
}

type BindingPart = Pick<IdentityRepo, 'findSession' | 'bindSession'>;

/** What sessions are bound to, in the database. */
export function bindingPart(db: Kysely<DB>, raw: Raw): BindingPart {
  return {
    async findSession(id) {
      const row = await findRow(raw, 'sessions', { id });
      return row ? toSession(row) : null;
    },
    async bindSession(id, { device, network }) {
      await db
        .updateTable('sessions')
        .set({ bound_network: network, ...(device === null ? {} : { bound_device: device }) })
        .where('id', '=', id)
        .execute();
    },
  };
}

type ViewingPart = Pick<IdentityRepo, 'startViewing' | 'endViewing' | 'endViewingsOf' | 'listEndedViewings'>;

const NOT_VIEWING = { viewed_user_id: null, viewing_until_ms: null };

/** Sessions of staff that view as a user, in the database. */
export function viewingPart(db: Kysely<DB>): ViewingPart {
  return {
    async startViewing(id, userId, viewing) {
      const started = await db
        .updateTable('sessions')
        .set({ viewed_user_id: viewing.userId, viewing_until_ms: viewing.untilMs })
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .where('viewed_user_id', 'is', null)
        .returning('id')
        .execute();
      return started.length > 0;
    },
    async endViewing(id, { userId, untilMs }) {
      const ended = await db
        .updateTable('sessions')
        .set(NOT_VIEWING)
        .where('id', '=', id)
        .where('viewed_user_id', '=', userId)
        .where('viewing_until_ms', '=', untilMs)
        .returning('id')
        .execute();
      return ended.length > 0;
    },
    async endViewingsOf(viewedUserId) {
      const ended = await db
        .updateTable('sessions')
        .set(NOT_VIEWING)
        .where('viewed_user_id', '=', viewedUserId)
        .returning('id')
        .execute();
      return ended.map(({ id }) => id);
    },
    async listEndedViewings(nowMs, limit) {
      const rows = await db
        .selectFrom('sessions')
        .selectAll()
        .where('viewing_until_ms', '<=', nowMs)
        .orderBy('viewing_until_ms')
        .limit(limit)
        .execute();
      return rows.map(toSession).flatMap(({ id, viewing }) => (viewing === null ? [] : [{ id, ...viewing }]));
    },
  };
}

/** Devices that users were seen with, in the database. */
export function devicesPart(db: Kysely<DB>): Pick<IdentityRepo, 'recordDevice' | 'isKnownDevice'> {
  return {
    async recordDevice(userId, deviceKey, atMs) {
      const other = await db
        .selectFrom('known_devices')
        .select('device_key')
        .where('user_id', '=', userId)
        .limit(1)
        .executeTakeFirst();
      const added = await db
        .insertInto('known_devices')
        .values({ user_id: userId, device_key: deviceKey, first_ms: atMs, last_ms: atMs, factor_ms: null })
        .onConflict((conflict) => conflict.doNothing())
        .returning('device_key')
        .execute();
      if (added.length > 0) return other ? 'new' : 'first';
      await db
        .updateTable('known_devices')
        .set({ last_ms: atMs })
        .where('user_id', '=', userId)
        .where('device_key', '=', deviceKey)
        .execute();
      return 'known';
    },
    async isKnownDevice(userId, deviceKey) {
      const row = await db
        .selectFrom('known_devices')
        .select('user_id')
        .where('user_id', '=', userId)
        .where('device_key', '=', deviceKey)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
