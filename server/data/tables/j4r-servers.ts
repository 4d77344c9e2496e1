import { sql } from 'kysely';
import { j4rServers } from '#shared/resources/j4r-servers.ts';
import { tableSql } from './map.ts';

export const j4rServersSql = tableSql(j4rServers, {
  derive: {
    status: () =>
      sql`case when enabled = 0 then 'off' when lookup = 'pending' then 'checking' when lookup = 'found' then 'active' else lookup end`,
    paid: () => sql`(select count(*) from j4r_claims where j4r_claims.server_id = j4r_servers.id)`,
  },
  dependants: {
    vesting: (id) =>
      sql`(select count(*) from j4r_claims where j4r_claims.server_id = ${id} and j4r_claims.state = 'vesting')`,
    claims: (id) =>
      sql`(select count(*) from j4r_claims where j4r_claims.server_id = ${id} and j4r_claims.state <> 'vesting')`,
  },
});
