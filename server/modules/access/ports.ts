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
  readonly createdMs: number;
  /** Of the last change of the role or its permissions: whoever saves says which version they saw. */
  readonly updatedMs: number;
}
/** What staff set of a role. */
export type RoleInput = Pick<RoleRow, 'name' | 'color' | 'rank' | 'isDefault'>;

/** A role with its permissions and how many accounts have it. */
export interface RoleDetails extends RoleRow {
  /** In the order of the alphabet. */
  readonly permissions: readonly string[];
  /** Accounts that are not deleted. */
  readonly members: number;
}

export interface AccessRepo {
  /** Adds a role with its permissions; false (and nothing changed) where its key exists. */
  add(role: Omit<RoleRow, 'updatedMs'>, permissions: readonly Permission[]): Promise<boolean>;
  role(id: string): Promise<RoleRow | null>;
  /** Rank of a user's role, and of a role by its id; null where there is none. */
  findRanks(userId: string, roleId: string): Promise<{ own: number | null; other: number | null }>;
  roleByKey(key: string): Promise<RoleRow | null>;
  /** A role by its name, without case; null where there is none. */
  roleByName(name: string): Promise<RoleRow | null>;
  /** The role of new users. Throws where the roles were never seeded. */
  defaultRole(): Promise<RoleRow>;
  permissionsOf(roleId: string): Promise<string[]>;
  /** Every role, the highest first. */
  listRoles(): Promise<RoleDetails[]>;
  /** All roles by name, the highest rank first, without counting anybody. */
  listRoleNames(): Promise<{ readonly id: string; readonly name: string }[]>;
  countRoles(): Promise<number>;
  /** Names of members in good standing, by their alphabet, at most `limit`. */
  listMemberNames(roleId: string, limit: number): Promise<string[]>;
  /** Holds off every other change of roles, their permissions and members until the transaction ends. */
  lock(): Promise<void>;
  /** Writes what staff set. */
  update(id: string, input: RoleInput, updatedMs: number): Promise<void>;
  /** Takes a role away with its permissions; nobody may have it any more. Its key is not seeded again. */
  remove(role: RoleRow, nowMs: number): Promise<void>;
  /** Adds and takes away permissions of a role. What it has or lacks already stays so. */
  changePermissions(
    id: string,
    change: { readonly grant: readonly string[]; readonly revoke: readonly string[] },
    updatedMs: number,
  ): Promise<void>;
  /** Gives one account another role. */
  assign(userId: string, roleId: string, nowMs: number): Promise<void>;
  /** Gives all accounts of a role another one. Out: how many. */
  moveMembers(fromId: string, toId: string, nowMs: number): Promise<number>;
  /** Keys of seeded roles that staff deleted. */
  deletedKeys(): Promise<string[]>;
  /** Whether an account that is not deleted holds a permission through its role. */
  anyHolder(permission: Permission): Promise<boolean>;
  /** Whether an account in good standing other than this one holds a permission through its role. */
  anyOtherActiveHolder(permission: Permission, userId: string | null): Promise<boolean>;
  /** Users in good standing whose role has at least one of the permissions, by id, at most `limit`. */
  holders(permissions: readonly Permission[], limit: number): Promise<string[]>;
}
