import type * as z from 'zod/mini';
import { SerializedJson, type Handlers } from '#server/http/implement.types.ts';
import type { RoleInput, RoleView, StaffRoles } from '#server/modules/access/index.ts';
import { permitted } from '#server/modules/permit.ts';
import type { adminPermissions, adminRoles, RoleView as RoleRow } from '#shared/contract/roles.ts';
import { DomainError } from '#shared/errors.ts';
import { PERMISSIONS } from '#shared/permissions.ts';
import { MAX_RANK, type permissionsInput } from '#shared/schemas/role.ts';
import { iso } from '#shared/time.ts';
import { toCsvFile } from './csv.ts';

interface Deps {
  readonly staffRoles: StaffRoles;
}
interface Query {
  readonly sort?: string | undefined;
  readonly q?: string | undefined;
}
const FIELDS = ['id', 'name', 'color', 'rank', 'is_default', 'members', 'permissions', 'created_at', 'updated_at'];

/** Roles for staff. */
export function rolesHandlers({ staffRoles }: Deps): Handlers<typeof adminRoles> {
  return {
    list: async (ctx, { query }) => ({ rows: toList((await staffRoles.list(ctx)).roles, query) }),
    export: async (ctx, { query }) => ({
      filename: 'roles.csv',
      body: toCsvFile(FIELDS, toList((await staffRoles.list(ctx)).roles, query)),
    }),
    formOptions: async (ctx) => {
      const { roles, rank } = await staffRoles.list(ctx);
      return { rank_max: maxRank(rank), templates: roles.map(({ id, name }) => ({ id, name })) };
    },
    create: (ctx, { body }) => staffRoles.create(ctx, { ...toRoleInput(body), templateId: body.template }),
    get: async (ctx, { params }) => {
      const { role, rank } = await staffRoles.get(ctx, params.id);
      return { row: toRow(role), rank_max: maxRank(rank) };
    },
    update: (ctx, { params, body }) =>
      staffRoles.update(ctx, params.id, { ...toRoleInput(body), seenMs: Date.parse(body.updated_at) }),
    dependants: async (ctx, { params }) => {
      const { role, fallback } = await staffRoles.get(ctx, params.id);
      return { row: toRow(role), fallback };
    },
    remove: async (ctx, { params, body }) => {
      await staffRoles.remove(ctx, params.id, body.name);
      return {};
    },
  };
}

/** The permission catalogue, which does not change while the process runs, and the permissions of each role. */
export function permissionsHandlers({ staffRoles }: Deps): Handlers<typeof adminPermissions> {
  const catalogue = new SerializedJson(JSON.stringify({ success: true, error_code: null, permissions: PERMISSIONS }));
  return {
    list: async () => catalogue,
    matrix: async (ctx, { params }) => {
      const { roles } = await staffRoles.list(ctx);
      if (!roles.some(({ id }) => id === params.id)) throw new DomainError('NOT_FOUND');
      return {
        roles: roles.map(({ memberNames, permissions, ...role }) => ({
          ...toRow({ ...role, permissions, memberNames }),
          permissions: [...permissions],
          names: [...memberNames],
        })),
      };
    },
    save: permitted('admin.permissions.edit', (ctx, { body }: { body: z.output<typeof permissionsInput> }) => {
      const changes = body.changes.map(({ role, updated_at: seen, grant, revoke }) => ({
        roleId: role,
        seenMs: Date.parse(seen),
        grant,
        revoke,
      }));
      return staffRoles.savePermissions(ctx, changes);
    }),
    grant: async (ctx, { params, body }) => {
      await staffRoles.grant(ctx, params.id, body.permission);
      return {};
    },
    revoke: async (ctx, { params, body }) => {
      await staffRoles.revoke(ctx, params.id, body.permission);
      return {};
    },
  };
}

/** The highest rank that somebody of a given rank can assign. */
const maxRank = (rank: number): number => Math.max(0, Math.min(MAX_RANK, rank - 1));

const toRoleInput = (body: { name: string; color: string; rank: number; is_default: boolean }): RoleInput => ({
  name: body.name,
  color: body.color,
  rank: body.rank,
  isDefault: body.is_default,
});

function toRow(role: RoleView): RoleRow {
  return {
    id: role.id,
    name: role.name,
    color: role.color,
    rank: role.rank,
    is_default: role.isDefault,
    members: role.members,
    permissions: role.permissions.includes('admin.root') ? PERMISSIONS.length : role.permissions.length,
    editable: role.editable,
    created_at: iso(role.createdMs),
    updated_at: iso(role.updatedMs),
  };
}

/** Filters roles by the search text and sorts them; by default by rank, the highest first. */
function toList(roles: readonly RoleView[], { sort = '-rank', q = '' }: Query): RoleRow[] {
  const key = sort.replace(/^-/, '') as 'name' | 'rank' | 'members' | 'permissions';
  const sign = sort.startsWith('-') ? -1 : 1;
  const text = q.trim().toLowerCase();
  return roles
    .map(toRow)
    .filter(({ name }) => name.toLowerCase().includes(text))
    .toSorted((a, b) => sign * (key === 'name' ? a.name.localeCompare(b.name) : a[key] - b[key]));
}
