import { sql, type RawBuilder } from 'kysely';
import { ssoProviders } from '#shared/resources/sso-providers.ts';
import { tableSql } from './map.ts';

/** What links to accounts of a provider are kept under: its issuer; Discord's by its name. */
const KEY = sql`(case when sso_providers.kind = 'discord' then 'discord' else sso_providers.issuer end)`;
const linkedTo = (id: string): RawBuilder<unknown> =>
  sql`from linked_identities where linked_identities.provider = (select ${KEY} from sso_providers where sso_providers.id = ${id})`;

export const ssoProvidersSql = tableSql(ssoProviders, {
  derive: {
    client_secret: () => sql`''`,
    linked: () => sql`(select count(*) from linked_identities where linked_identities.provider = ${KEY})`,
  },
  dependants: {
    linked: (id) => sql`(select count(*) ${linkedTo(id)})`,
    // Who has no password either, and no other link.
    stranded: (id) =>
      sql`(select count(*) ${linkedTo(id)} and exists (select 1 from users where users.id = linked_identities.user_id and users.password_hash = '') and not exists (select 1 from linked_identities as other where other.user_id = linked_identities.user_id and other.id <> linked_identities.id))`,
  },
});
