import { sql } from 'kysely';
import { j4rServers } from '#shared/resources/j4r-servers.ts';
import { COMMON, mapTable } from './map.ts';

export const j4rServersTable = mapTable(j4rServers, 'j4r_servers', {
  columns: {
    ...COMMON,
    name: { column: 'name', type: 'name' },
    description: { column: 'description', type: 'text' },
    invite: { column: 'invite', type: 'text' },
    guild_id: { column: 'guild_id', type: 'text' },
    guild_name: { column: 'guild_name', type: 'text' },
    members: { column: 'members', type: 'int' },
    status: {
      type: 'text',
      derive: () =>
        sql`case when enabled = 0 then 'off' when lookup = 'pending' then 'checking' when lookup = 'found' then 'active' else lookup end`,
    },
    credits: { column: 'credits', type: 'int' },
    min_account_days: { column: 'min_account_days', type: 'int' },
    pays_members: { column: 'pays_members', type: 'bit' },
    position: { column: 'position', type: 'int' },
    enabled: { column: 'enabled', type: 'bit' },
    paid: {
      type: 'int',
      derive: () => sql`(select count(*) from j4r_claims where j4r_claims.server_id = j4r_servers.id)`,
    },
  },
  hidden: {
    lookup: { column: 'lookup', type: 'text' },
    lookup_at: { column: 'lookup_ms', type: 'ms' },
    since_at: { column: 'since_ms', type: 'ms' },
  },
  unique: [{ fields: ['invite'], field: 'invite', code: 'INVITE_TAKEN' }],
  dependants: {
    vesting: (id) =>
      sql`(select count(*) from j4r_claims where j4r_claims.server_id = ${id} and j4r_claims.state = 'vesting')`,
    claims: (id) =>
      sql`(select count(*) from j4r_claims where j4r_claims.server_id = ${id} and j4r_claims.state <> 'vesting')`,
  },
});
