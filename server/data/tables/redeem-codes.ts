import { sql } from 'kysely';
import { redeemCodes } from '#shared/resources/redeem-codes.ts';
import { tableSql } from './map.ts';

export const redeemCodesSql = tableSql(redeemCodes, {
  derive: {
    // In the order in which the redeemer is refused (server/modules/rewards/redeem/policy.ts), but a used-up code is
    // shown as used before its window is looked at.
    status: (nowMs) =>
      sql`case when enabled = 0 then 'off' when uses_count >= uses_total then 'used'
        when starts_ms is not null and starts_ms > ${nowMs} then 'scheduled' when ends_ms is not null and ends_ms <= ${nowMs} then 'expired' else 'active' end`,
    created_by: () => sql`(select users.username from users where users.id = redeem_codes.created_by)`,
  },
  dependants: { uses: (id) => sql`(select count(*) from redeem_uses where redeem_uses.code_id = ${id})` },
});
