import * as z from 'zod/mini';
import { inviteInput, J4R_STATES } from '../schemas/j4r.ts';
import { column, computedNumber, credits, longText, name, number, onOff, position, readOnlyColumn } from './columns.ts';
import { defineResource } from './define.ts';

/** Discord servers that pay for joining (behaviour 4.3). */
export const j4rServers = defineResource({
  area: 'j4rServers',
  path: '/api/admin/j4r-servers',
  table: 'j4r_servers',
  permission: 'admin.j4r.servers',
  nav: { group: 'economy', order: 2, icon: 'users' },
  columns: {
    name: name(60),
    description: longText(0, 300, { field: { wide: true } }),
    invite: column({ store: { type: 'text' }, row: z.string(), input: inviteInput, field: { kind: 'code' } }),
    /** The server that the invite leads to, from Discord. */
    guild_id: readOnlyColumn({ store: { type: 'text', nullable: true }, row: z.nullable(z.string()) }),
    guild_name: readOnlyColumn({
      store: { type: 'text', nullable: true },
      row: z.nullable(z.string()),
      list: { format: 'text', hideOnPhone: true },
    }),
    members: readOnlyColumn({
      store: { type: 'int', nullable: true },
      row: z.nullable(z.int()),
      list: { format: 'number', hideOnPhone: true },
    }),
    status: readOnlyColumn({
      store: { type: 'text', derived: true },
      row: z.enum(J4R_STATES),
      list: {
        format: 'status',
        shapes: { active: 'active', checking: 'queued', unknown: 'failed', duplicate: 'failed', off: 'off' },
      },
      filter: J4R_STATES,
    }),
    credits: credits(1, 1_000_000, { start: 45 }),
    min_account_days: number(0, 3650, { start: 0, list: null }),
    pays_members: onOff(false, {
      format: 'flag',
      filter: false,
      field: { wide: true },
      list: { hideOnPhone: true },
    }),
    position: position(),
    enabled: onOff(true, { filter: false, field: { wide: true }, list: null }),
    /** Rewards paid for it, and credits clawed back from those who left. */
    paid: computedNumber('number'),
  },
  hidden: {
    lookup: { type: 'text' },
    lookup_at: { type: 'ms', column: 'lookup_ms' },
    since_at: { type: 'ms', column: 'since_ms' },
  },
  created: { hideOnPhone: true },
  list: ['name', 'status', 'credits', 'guild_name', 'members', 'paid', 'pays_members', 'position', 'created_at'],
  groups: {
    server: { columns: 2, fields: ['name', 'invite', 'description'] },
    reward: { columns: 2, fields: ['credits', 'min_account_days', 'position', 'pays_members', 'enabled'] },
  },
  title: 'name',
  search: ['name', 'invite', 'description'],
  sort: 'position',
  unique: [{ fields: ['invite'], field: 'invite', code: 'INVITE_TAKEN' }],
  dependants: { vesting: { refuses: false }, claims: { refuses: false } },
  bulk: { delete: true, switch: 'enabled' },
});

/** The input of a Discord server. */
export type J4rServerInput = z.output<typeof j4rServers.create>;
