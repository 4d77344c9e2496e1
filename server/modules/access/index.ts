export { createAccess, type Access } from './service.ts';
export type { RoleKey, RoleRow } from './ports.ts';
