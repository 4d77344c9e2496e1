import type { Permission } from './permissions.ts';

// Apart from the catalogue, which the browser would carry in every page for the sake of these two.

/**
 * The permission check (specification, section 5): `admin.root` holds everything, otherwise the exact string must be in
 * the list.
 */
export function can(list: readonly string[], permission: Permission): boolean {
  return list.includes('admin.root') || list.includes(permission);
}

/** Whether a person sees the admin area at all. */
export function isStaff(list: readonly string[]): boolean {
  return list.some((entry) => entry.startsWith('admin.'));
}
