import { PERMISSIONS, type Permission } from '#shared/permissions.ts';
import type { RoleKey } from './ports.ts';

interface SeedRole {
  readonly key: RoleKey;
  readonly name: string;
  readonly color: string;
  readonly rank: number;
  readonly isDefault: boolean;
  readonly permissions: readonly Permission[];
}

/** What a helper needs to see to answer questions; it changes nothing. */
const SUPPORT: readonly Permission[] = [
  'admin.dashboard.view',
  'admin.dashboard.components.support.view',
  'admin.tickets.list',
  'admin.tickets.view',
  'admin.users.list',
  'admin.servers.list',
  'admin.server.queue.list',
  'admin.server.queue.view',
  'admin.server.queue.logs.view',
];
const EVERY_ADMIN = PERMISSIONS.map((entry) => entry.value).filter(
  (value) => value.startsWith('admin.') && value !== 'admin.root',
);

/** The roles of a new installation (behaviour 3.10). Names and colours are the admin's to change afterwards. */
export const SEED_ROLES: readonly SeedRole[] = [
  { key: 'member', name: 'Member', color: '#8d93a1', rank: 0, isDefault: true, permissions: [] },
  { key: 'vip', name: 'VIP', color: '#bf94e4', rank: 10, isDefault: false, permissions: ['user.permission.vip'] },
  { key: 'support', name: 'Support', color: '#6caee8', rank: 50, isDefault: false, permissions: SUPPORT },
  { key: 'admin', name: 'Admin', color: '#4fc29a', rank: 80, isDefault: false, permissions: EVERY_ADMIN },
  { key: 'owner', name: 'Owner', color: '#ea8b7a', rank: 100, isDefault: false, permissions: ['admin.root'] },
];
