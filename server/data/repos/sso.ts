import type { Kysely, Selectable } from 'kysely';
import type { DB, SsoRegistrations } from '#server/data/schema.ts';
import type { SsoProviderRow, SsoRegistration, SsoRepo } from '#server/modules/sso/ports.ts';
import type { SsoKind, SsoPurpose } from '#shared/sso.ts';

const toProvider = (row: Selectable<DB['sso_providers']>): SsoProviderRow => ({
  id: row.id,
  kind: row.kind as SsoKind,
  name: row.name,
  icon: row.icon,
  issuer: row.issuer,
  clientId: row.client_id,
  secret: row.secret,
  scopes: row.scopes,
  enabled: row.enabled === 1,
});
const toRegistration = (row: Selectable<SsoRegistrations>): SsoRegistration => ({
  id: row.id,
  deviceKey: row.device_key,
  providerId: row.provider_id,
  person: row.person,
  expiresMs: row.expires_ms,
});

/** Signing in with services elsewhere, in the database. */
export function createSsoRepo(db: Kysely<DB>): SsoRepo {
  const providers = () => db.selectFrom('sso_providers').selectAll();
  return {
    listEnabled: async () =>
      (await providers().where('enabled', '=', 1).orderBy('position').orderBy('id').execute()).map(toProvider),
    async findProvider(id) {
      const row = await providers().where('id', '=', id).executeTakeFirst();
      return row ? toProvider(row) : null;
    },
    ...attemptsOf(db),
    ...registrationsOf(db),
    async purge(nowMs) {
      await db.deleteFrom('sso_attempts').where('expires_ms', '<=', nowMs).execute();
      await db.deleteFrom('sso_registrations').where('expires_ms', '<=', nowMs).execute();
    },
  };
}

function attemptsOf(db: Kysely<DB>): Pick<SsoRepo, 'addAttempt' | 'takeAttempt'> {
  return {
    async addAttempt({ stateHash, providerId, purpose, binding, secrets, expiresMs }) {
      const values = {
        state_hash: stateHash,
        provider_id: providerId,
        purpose,
        binding,
        secrets,
        expires_ms: expiresMs,
      };
      await db.insertInto('sso_attempts').values(values).execute();
    },
    async takeAttempt(stateHash, purpose, binding, nowMs) {
      // One statement: of many that come at once, one finds it.
      const row = await db
        .deleteFrom('sso_attempts')
        .where('state_hash', '=', stateHash)
        .where('purpose', '=', purpose)
        .where('binding', '=', binding)
        .where('expires_ms', '>', nowMs)
        .returningAll()
        .executeTakeFirst();
      if (!row) return null;
      return {
        stateHash,
        providerId: row.provider_id,
        purpose: row.purpose as SsoPurpose,
        binding,
        secrets: row.secrets,
        expiresMs: row.expires_ms,
      };
    },
  };
}

type RegistrationPart = Pick<
  SsoRepo,
  'putRegistration' | 'findRegistration' | 'claimRegistration' | 'takeRegistration'
>;

function registrationsOf(db: Kysely<DB>): RegistrationPart {
  return {
    async putRegistration({ id, deviceKey, providerId, person, expiresMs }) {
      const values = { id, provider_id: providerId, person, expires_ms: expiresMs };
      await db
        .insertInto('sso_registrations')
        .values({ ...values, device_key: deviceKey })
        .onConflict((conflict) => conflict.column('device_key').doUpdateSet(values))
        .execute();
    },
    async findRegistration(deviceKey, nowMs) {
      const row = await db
        .selectFrom('sso_registrations')
        .selectAll()
        .where('device_key', '=', deviceKey)
        .where('expires_ms', '>', nowMs)
        .executeTakeFirst();
      return row ? toRegistration(row) : null;
    },
    async claimRegistration(id, deviceKey, untilMs) {
      const claimed = await db
        .updateTable('sso_registrations')
        .set({ device_key: null, expires_ms: untilMs })
        .where('id', '=', id)
        .where('device_key', '=', deviceKey)
        .returning('id')
        .execute();
      return claimed.length > 0;
    },
    async takeRegistration(id) {
      const row = await db.deleteFrom('sso_registrations').where('id', '=', id).returningAll().executeTakeFirst();
      return row ? toRegistration(row) : null;
    },
  };
}
