import { define, type Migration } from './migration.ts';

/**
 * Orders that staff sort long lists by (behaviour 1: an index behind each). Locations, categories and eggs are a
 * handful each.
 */
export const adminLists: Migration = {
  name: '0007_admin_lists',
  up: (step) =>
    define(step, [
      'CREATE INDEX redeem_codes_code ON redeem_codes (code, id)',
      'CREATE INDEX redeem_codes_credits ON redeem_codes (credits, id)',
      'CREATE INDEX redeem_codes_ends ON redeem_codes (ends_ms, id)',
    ]),
};
