import { J4R_STATES, j4rServerInput, j4rServerRow } from '../schemas/j4r.ts';
import { defineResource } from './types.ts';

/** Discord servers that pay for joining (behaviour 4.3). */
export const j4rServers = defineResource({
  area: 'j4rServers',
  path: '/api/admin/j4r-servers',
  permission: 'admin.j4r.servers',
  operations: ['list', 'create', 'edit', 'delete'],
  row: j4rServerRow,
  create: j4rServerInput,
  update: j4rServerInput,
  title: 'name',
  columns: {
    name: { format: 'text', sort: 'asc' },
    status: {
      format: 'status',
      shapes: { active: 'active', checking: 'queued', unknown: 'failed', duplicate: 'failed', off: 'off' },
    },
    credits: { format: 'credits' },
    guild_name: { format: 'text', hideOnPhone: true },
    members: { format: 'number', hideOnPhone: true },
    paid: { format: 'number' },
    pays_members: { format: 'flag', hideOnPhone: true },
    position: { format: 'number', sort: 'asc', hideOnPhone: true },
    created_at: { format: 'when', hideOnPhone: true },
  },
  groups: { server: { columns: 2 }, reward: { columns: 2 } },
  fields: {
    name: { kind: 'text', group: 'server' },
    invite: { kind: 'code', group: 'server' },
    description: { kind: 'textarea', group: 'server', wide: true, rows: 2 },
    credits: { kind: 'number', group: 'reward' },
    min_account_days: { kind: 'number', group: 'reward' },
    position: { kind: 'number', group: 'reward' },
    pays_members: { kind: 'switch', group: 'reward', wide: true },
    enabled: { kind: 'switch', group: 'reward', wide: true },
  },
  defaults: { credits: 45, min_account_days: 0, pays_members: false, position: 0, enabled: true },
  filters: { status: { options: J4R_STATES } },
  search: ['name', 'invite', 'description'],
  sort: 'position',
  dependants: { vesting: { refuses: false }, claims: { refuses: false } },
  bulk: { delete: true, switch: 'enabled' },
});
