import * as z from 'zod/mini';
import { CODE_STATES, codeText, moment } from '../schemas/redeem-code.ts';
import { isoTime } from '../schemas/primitives.ts';
import { column, credits, number, onOff, readOnlyColumn, text } from './columns.ts';
import { defineResource } from './define.ts';

/** Codes that players redeem for credits. */
export const redeemCodes = defineResource({
  area: 'redeemCodes',
  path: '/api/admin/redeem-codes',
  table: 'redeem_codes',
  permission: 'admin.redeem.codes',
  nav: { group: 'economy', order: 1, icon: 'ticket' },
  columns: {
    code: column({
      store: { type: 'text' },
      row: z.string(),
      input: codeText,
      list: { format: 'code', sort: 'asc' },
      field: { kind: 'code', optional: true },
    }),
    note: text(0, 120, { list: { hideOnPhone: true }, field: { wide: true } }),
    status: readOnlyColumn({
      store: { type: 'text', derived: true },
      row: z.enum(CODE_STATES),
      list: {
        format: 'status',
        shapes: { active: 'active', scheduled: 'scheduled', expired: 'off', used: 'queued', off: 'paused' },
      },
      filter: CODE_STATES,
    }),
    credits: credits(1, 1_000_000, { list: { sort: 'desc' } }),
    uses_total: number(1, 1_000_000, { start: 1, list: null }),
    uses_count: readOnlyColumn({ store: { type: 'int' }, row: z.int(), list: { format: 'usage', of: 'uses_total' } }),
    min_age_days: { ...number(0, 3650, { start: 0 }), list: { format: 'days', hideOnPhone: true } },
    starts_at: column({
      store: { type: 'ms', column: 'starts_ms', nullable: true },
      row: z.nullable(isoTime),
      input: moment,
      field: { kind: 'datetime' },
    }),
    ends_at: column({
      store: { type: 'ms', column: 'ends_ms', nullable: true },
      row: z.nullable(isoTime),
      input: moment,
      list: { format: 'custom', sort: 'asc' },
      field: { kind: 'datetime' },
    }),
    enabled: onOff(true, { filter: false, field: { wide: true }, list: null }),
    /** The creator; null if that account is gone. */
    created_by: readOnlyColumn({
      store: { type: 'name', derived: true, nullable: true },
      row: z.nullable(z.string()),
      list: { format: 'text', hideOnPhone: true },
    }),
  },
  hidden: {
    code_key: { type: 'text' },
    creator_id: { type: 'text', column: 'created_by', nullable: true },
    changer_id: { type: 'text', column: 'changed_by', nullable: true },
  },
  created: { sort: 'desc', hideOnPhone: true },
  // Negated, so that an invalid date, which has its own code, does not count as a wrong order.
  rules: (input) =>
    input.check(
      z.refine((code) => !(Date.parse(code.starts_at ?? '') >= Date.parse(code.ends_at ?? '')), {
        path: ['ends_at'],
        message: 'END_BEFORE_START',
      }),
    ),
  list: ['code', 'note', 'status', 'credits', 'uses_count', 'ends_at', 'min_age_days', 'created_by', 'created_at'],
  groups: {
    basics: { columns: 2, fields: ['code', 'credits', 'note'] },
    rules: { columns: 2, fields: ['uses_total', 'min_age_days', 'starts_at', 'ends_at', 'enabled'] },
  },
  title: 'code',
  search: ['code', 'note'],
  sort: '-created_at',
  unique: [{ fields: ['code_key'], field: 'code', code: 'CODE_TAKEN' }],
  dependants: { uses: { refuses: false } },
  bulk: { delete: true, switch: 'enabled' },
});

/** The input of a redeem code. */
export type RedeemCodeInput = z.output<typeof redeemCodes.create>;
