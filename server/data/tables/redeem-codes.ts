import { sql } from 'kysely';
import { redeemCodes } from '#shared/resources/redeem-codes.ts';
import { COMMON, mapTable } from './map.ts';

export const redeemCodesTable = mapTable(redeemCodes, 'redeem_codes', {
  columns: {
    ...COMMON,
    code: { column: 'code', type: 'text' },
    note: { column: 'note', type: 'text' },
    // In the order in which the redeemer is refused (server/modules/rewards/redeem/policy.ts), but a used-up code is
    // told before its window.
    status: {
      type: 'text',
      derive: (nowMs) => sql`case when enabled = 0 then 'off' when uses_count >= uses_total then 'used'
        when starts_ms is not null and starts_ms > ${nowMs} then 'scheduled' when ends_ms is not null and ends_ms <= ${nowMs} then 'expired' else 'active' end`,
    },
    credits: { column: 'credits', type: 'int' },
    uses_total: { column: 'uses_total', type: 'int' },
    uses_count: { column: 'uses_count', type: 'int' },
    min_age_days: { column: 'min_age_days', type: 'int' },
    starts_at: { column: 'starts_ms', type: 'ms' },
    ends_at: { column: 'ends_ms', type: 'ms' },
    enabled: { column: 'enabled', type: 'bit' },
    created_by: {
      type: 'name',
      derive: () => sql`(select users.username from users where users.id = redeem_codes.created_by)`,
    },
  },
  hidden: {
    code_key: { column: 'code_key', type: 'text' },
    creator_id: { column: 'created_by', type: 'text' },
    changer_id: { column: 'changed_by', type: 'text' },
  },
  unique: [{ fields: ['code_key'], field: 'code', code: 'CODE_TAKEN' }],
  dependants: { uses: (id) => sql`(select count(*) from redeem_uses where redeem_uses.code_id = ${id})` },
});
