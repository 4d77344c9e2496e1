import type { Permission } from './permissions.ts';

// Separate from the catalogue, which would otherwise be part of every page's bundle.

/**
 * The permission check (specification, section 5): `admin.root` holds everything, otherwise the exact string must be in
 * the list.
 */
export function can(list: readonly string[], permission: Permission): boolean {
  return list.includes('admin.root') || list.includes(permission);
}

/** A permission as a constant: in capitals, dots and dashes as underscores. Its texts have keys of it. */
export const constantOf = (permission: string): string => permission.toUpperCase().replaceAll(/[.-]/g, '_');

/** The permissions of a list that are no rights of staff. */
export const withoutStaffRights = (list: readonly string[]): string[] =>
  list.filter((entry) => !entry.startsWith('admin.'));

/** Whether a user with these permissions sees the admin area. */
export function isStaff(list: readonly string[]): boolean {
  return list.some((entry) => entry.startsWith('admin.'));
}
