import { CODE_STATES, redeemCodeInput, redeemCodeRow } from '../schemas/redeem-code.ts';
import { defineResource } from './types.ts';

/** Codes that players redeem for credits. */
export const redeemCodes = defineResource({
  area: 'redeemCodes',
  path: '/api/admin/redeem-codes',
  permission: 'admin.redeem.codes',
  operations: ['list', 'create', 'edit', 'delete'],
  row: redeemCodeRow,
  create: redeemCodeInput,
  update: redeemCodeInput,
  title: 'code',
  columns: {
    code: { format: 'code', sort: 'asc' },
    note: { format: 'text', hideOnPhone: true },
    status: {
      format: 'status',
      shapes: { active: 'active', scheduled: 'scheduled', expired: 'off', used: 'queued', off: 'paused' },
    },
    credits: { format: 'credits', sort: 'desc' },
    uses_count: { format: 'usage', of: 'uses_total' },
    ends_at: { format: 'custom', sort: 'asc' },
    min_age_days: { format: 'days', hideOnPhone: true },
    created_by: { format: 'text', hideOnPhone: true },
    created_at: { format: 'when', sort: 'desc', hideOnPhone: true },
  },
  groups: { basics: { columns: 2 }, rules: { columns: 2 } },
  fields: {
    code: { kind: 'code', group: 'basics', optional: true },
    credits: { kind: 'number', group: 'basics' },
    note: { kind: 'text', group: 'basics', wide: true },
    uses_total: { kind: 'number', group: 'rules' },
    min_age_days: { kind: 'number', group: 'rules' },
    starts_at: { kind: 'datetime', group: 'rules' },
    ends_at: { kind: 'datetime', group: 'rules' },
    enabled: { kind: 'switch', group: 'rules', wide: true },
  },
  defaults: { uses_total: 1, min_age_days: 0, enabled: true },
  filters: { status: { options: CODE_STATES } },
  search: ['code', 'note'],
  sort: '-created_at',
  dependants: { uses: { refuses: false } },
  bulk: { delete: true, switch: 'enabled' },
});
