import * as z from 'zod/mini';
import { id, isoTime, text } from '../schemas/primitives.ts';
import { permissionName, permissionsInput, roleCreateInput, roleUpdateInput } from '../schemas/role.ts';
import { group } from './endpoint.ts';

const one = z.object({ id });
/** Sorting of the list of roles. */
const ROLE_SORTS = ['name', 'rank', 'members', 'permissions'] as const;
const roleQuery = z.object({
  sort: z.optional(z.enum(ROLE_SORTS.flatMap((name) => [name, `-${name}`]))),
  q: z.optional(text(0, 100)),
});

const row = z.object({
  id,
  name: z.string(),
  /** `#rrggbb`. */
  color: z.string(),
  rank: z.int(),
  is_default: z.boolean(),
  /** Accounts that are not deleted. */
  members: z.int(),
  /** How many permissions it holds; of `admin.root` it is every one. */
  permissions: z.int(),
  /** Whether the caller may change it: it stands below their own role. */
  editable: z.boolean(),
  created_at: isoTime,
  updated_at: isoTime,
});
export type RoleView = z.infer<typeof row>;
const choice = z.object({ id, name: z.string() });

const column = z.object({
  id,
  name: z.string(),
  color: z.string(),
  rank: z.int(),
  is_default: z.boolean(),
  members: z.int(),
  /** Names of some members; empty without the permission admin.users.list. */
  names: z.array(z.string()),
  editable: z.boolean(),
  permissions: z.array(z.string()),
  updated_at: isoTime,
});
/** A role as a column of the matrix. */
export type MatrixRole = z.infer<typeof column>;

/** Roles (behaviour 3.10): their names, colours and ranks. */
export const adminRoles = group({
  list: {
    method: 'GET',
    path: '/api/admin/roles',
    summary: 'List roles',
    query: roleQuery,
    access: 'admin.roles.list',
    errors: [],
    response: z.object({ rows: z.array(row) }),
  },
  export: {
    method: 'GET',
    path: '/api/admin/roles/export.csv',
    summary: 'Export roles',
    query: roleQuery,
    format: 'csv',
    access: 'admin.roles.list',
    errors: [],
  },
  formOptions: {
    method: 'GET',
    path: '/api/admin/roles/new',
    summary: 'Get what a new role can be',
    description: 'The form of a new role: the highest rank that the caller can give, and roles to begin like.',
    access: 'admin.roles.create',
    errors: [],
    response: z.object({ rank_max: z.int(), templates: z.array(choice) }),
  },
  create: {
    method: 'POST',
    path: '/api/admin/roles',
    summary: 'Create a role',
    body: roleCreateInput,
    access: 'admin.roles.create',
    limit: 'create',
    idempotent: true,
    errors: ['VALIDATION_FAILED', 'PERMISSION_NOT_HELD', 'ROLE_TOO_HIGH', 'DEFAULT_ROLE_STAFF', 'LIMIT_REACHED'],
    response: z.object({ id: z.string() }),
  },
  get: {
    method: 'GET',
    path: '/api/admin/roles/:id',
    summary: 'Get a role',
    versioned: true,
    params: one,
    access: 'admin.roles.edit',
    errors: ['NOT_FOUND'],
    response: z.object({ row, rank_max: z.int() }),
  },
  update: {
    method: 'PATCH',
    path: '/api/admin/roles/:id',
    summary: 'Change a role',
    versioned: true,
    params: one,
    body: roleUpdateInput,
    access: 'admin.roles.edit',
    idempotent: true,
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      'VALIDATION_FAILED',
      'ROLE_TOO_HIGH',
      'PERMISSION_NOT_HELD',
      'DEFAULT_ROLE',
      'DEFAULT_ROLE_STAFF',
    ],
    response: z.object({ id: z.string() }),
  },
  dependants: {
    method: 'GET',
    path: '/api/admin/roles/:id/dependants',
    summary: 'Get what hangs on a role',
    description:
      'What becomes of the members: `fallback` is the role they get; null for the default role itself, which stays.',
    params: one,
    access: 'admin.roles.delete',
    errors: ['NOT_FOUND'],
    response: z.object({ row, fallback: z.nullable(z.string()) }),
  },
  remove: {
    method: 'DELETE',
    path: '/api/admin/roles/:id',
    summary: 'Delete a role',
    description: "`name` is the role's name as typed, a guard against accidental deletion.",
    params: one,
    body: z.strictObject({ name: text(0, 200) }),
    access: 'admin.roles.delete',
    errors: ['NOT_FOUND', 'NAME_MISMATCH', 'ROLE_TOO_HIGH', 'DEFAULT_ROLE', 'LAST_OWNER'],
  },
});

const changed = ['NOT_FOUND', 'VALIDATION_FAILED', 'ROLE_TOO_HIGH', 'LAST_OWNER'] as const;

/** Permissions (specification, sections 3 and 6): the catalogue, and which role holds which. */
export const adminPermissions = group({
  list: {
    method: 'GET',
    path: '/api/admin/permissions',
    summary: 'List permissions',
    description: 'The whole catalogue.',
    access: 'admin.permissions.list',
    errors: [],
    response: z.object({
      /** `description`: a key of the locale namespace `permissions`. */
      permissions: z.array(
        z.object({ constant: z.string(), value: z.string(), category: z.string(), description: z.string() }),
      ),
    }),
  },
  matrix: {
    method: 'GET',
    path: '/api/admin/roles/:id/permissions',
    summary: 'Get a role’s permissions',
    description: 'Together with all other roles, the highest first.',
    params: one,
    access: 'admin.permissions.list',
    errors: ['NOT_FOUND'],
    response: z.object({ roles: z.array(column) }),
  },
  save: {
    method: 'PATCH',
    path: '/api/admin/permissions',
    summary: 'Change the permissions of roles',
    description: 'All or nothing. Refused with CONFLICT if a role was changed meanwhile.',
    body: permissionsInput,
    access: 'admin.permissions.edit',
    idempotent: true,
    errors: [...changed, 'CONFLICT', 'PERMISSION_NOT_HELD', 'DEFAULT_ROLE_STAFF'],
    /** How many permissions were granted or taken away. */
    response: z.object({ changed: z.int() }),
  },
  grant: {
    method: 'POST',
    path: '/api/admin/roles/:id/permissions',
    summary: 'Give a role a permission',
    params: one,
    body: z.strictObject({ permission: permissionName }),
    access: 'admin.permissions.create',
    errors: [...changed, 'PERMISSION_NOT_HELD', 'DEFAULT_ROLE_STAFF'],
  },
  revoke: {
    method: 'DELETE',
    path: '/api/admin/roles/:id/permissions',
    summary: 'Take a permission from a role',
    params: one,
    body: z.strictObject({ permission: permissionName }),
    access: 'admin.permissions.delete',
    errors: [...changed],
  },
});
