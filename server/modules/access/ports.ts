import type { Permission } from '#shared/permissions.ts';

/** Keys of the roles every installation has (behaviour 3.10). */
export type RoleKey = 'member' | 'vip' | 'support' | 'admin' | 'owner';

export interface RoleRow {
  readonly id: string;
  /** Set for the roles that came with the installation; null for those an admin made. */
  readonly key: RoleKey | null;
  readonly name: string;
  /** `#rrggbb`. */
  readonly color: string;
  /** The higher, the more power; a role is edited only by holders of a higher one. */
  readonly rank: number;
  readonly isDefault: boolean;
}

export interface AccessRepo {
  /** Adds a role with its permissions; false (and nothing changed) where its key exists. */
  add(role: RoleRow & { createdMs: number }, permissions: readonly Permission[]): Promise<boolean>;
  role(id: string): Promise<RoleRow | null>;
  roleByKey(key: RoleKey): Promise<RoleRow | null>;
  /** The role of new users. Throws where the roles were never seeded. */
  defaultRole(): Promise<RoleRow>;
  permissionsOf(roleId: string): Promise<string[]>;
  /** Holds off every other change of roles, their permissions and members until the transaction ends. */
  lock(): Promise<void>;
  /** Whether an account that is not deleted holds a permission through its role. */
  anyHolder(permission: Permission): Promise<boolean>;
  /** Whether an account in good standing other than this one holds a permission through its role. */
  anyOtherActiveHolder(permission: Permission, userId: string | null): Promise<boolean>;
  /** Users in good standing whose role has at least one of the permissions, by id, at most `limit`. */
  holders(permissions: readonly Permission[], limit: number): Promise<string[]>;
}
