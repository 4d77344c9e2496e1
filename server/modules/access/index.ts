export { createAccess, type Access } from './service.ts';
export { MAX_ROLES } from './role-commands.ts';
export { createStaffRoles, type RoleView, type StaffRoles } from './staff-roles.ts';
export type { RoleInput, RoleKey, RoleRow } from './ports.ts';
