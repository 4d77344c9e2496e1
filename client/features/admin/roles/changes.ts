import type { MatrixRole } from '#shared/contract/roles.ts';
import { can } from '#shared/can.ts';
import type { Permission } from '#shared/permissions.ts';

/** What one role gains and loses: names of permissions. */
export interface RoleChange {
  readonly role: MatrixRole;
  readonly grant: readonly string[];
  readonly revoke: readonly string[];
}
/** Ticks that differ from what is stored: `<role> <permission>` → whether it shall be held. */
export type Ticks = ReadonlyMap<string, boolean>;

export const tickKey = (roleId: string, permission: string): string => `${roleId} ${permission}`;
/** Whether a role holds everything, so that its other permissions do not matter. */
export const holdsAll = (role: Pick<MatrixRole, 'permissions'>): boolean => role.permissions.includes('admin.root');

/** What the visitor may do with a cell: tick it, only see it, or nothing as the role has everything anyway. */
type CellState = 'open' | 'locked' | 'always';

/**
 * The state of a cell (behaviour 3.10): only roles below one's own, only permissions one holds, and none of staff for
 * the role of everybody who signs up. In: the visitor's permissions, the role, the permission.
 */
export function cellState(own: readonly string[], role: MatrixRole, permission: string): CellState {
  if (holdsAll(role) && permission !== 'admin.root') return 'always';
  if (!role.editable || !can(own, 'admin.permissions.edit')) return 'locked';
  if (role.permissions.includes(permission)) return 'open';
  if (role.is_default && permission.startsWith('admin.')) return 'locked';
  return can(own, permission as Permission) ? 'open' : 'locked';
}

/** What the ticks change, by role, in the order of the catalogue. Roles without a change are left out. */
export function changesOf(roles: readonly MatrixRole[], catalogue: readonly string[], ticks: Ticks): RoleChange[] {
  return roles
    .map((role) => {
      const wanted = (permission: string) => ticks.get(tickKey(role.id, permission));
      const holds = (permission: string) => role.permissions.includes(permission);
      return {
        role,
        grant: catalogue.filter((each) => wanted(each) === true && !holds(each)),
        revoke: catalogue.filter((each) => wanted(each) === false && holds(each)),
      };
    })
    .filter(({ grant, revoke }) => grant.length + revoke.length > 0);
}

/**
 * The ticks of a sent form, which has the boxes that are ticked, and no others: everything that could have been ticked
 * and was not shall not be held. Roles that the form does not name stay as they are.
 */
export function ticksOf(
  form: FormData,
  { own, roles, catalogue }: { own: readonly string[]; roles: readonly MatrixRole[]; catalogue: readonly string[] },
): Ticks {
  const ticked = new Set(form.getAll('p').map(String));
  const named = new Set(seenOf(form).keys());
  return new Map(
    roles
      .filter(({ id }) => named.has(id))
      .flatMap((role) =>
        catalogue
          .filter((permission) => cellState(own, role, permission) === 'open')
          .map((permission): [string, boolean] => {
            const key = tickKey(role.id, permission);
            return [key, ticked.has(key)];
          }),
      ),
  );
}

/** The version of each role that the form was made from: id → time. */
export function seenOf(form: FormData): ReadonlyMap<string, string> {
  return new Map(
    form.getAll('seen').map((value): [string, string] => {
      const [id = '', at = ''] = String(value).split(' ');
      return [id, at];
    }),
  );
}

/** What the form says of what a role held when it was made: `<id> <permission> <permission> …`. */
export const heldText = ({ id, permissions }: Pick<MatrixRole, 'id' | 'permissions'>): string =>
  [id, ...permissions].join(' ');

/**
 * The ticks of a sent form that its visitor changed: those that differ from what the form showed at first. In: the
 * ticks of all its boxes.
 */
export function touchedOf(form: FormData, ticks: Ticks): Ticks {
  const held = new Set(
    form.getAll('held').flatMap((value) => {
      const [id = '', ...permissions] = String(value).split(' ');
      return permissions.map((permission) => tickKey(id, permission));
    }),
  );
  return new Map([...ticks].filter(([key, on]) => held.has(key) !== on));
}
