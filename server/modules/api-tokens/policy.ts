import { can, PERMISSIONS, type Permission } from '#shared/permissions.ts';
import {
  areaOf,
  hasScope,
  permissionsOf,
  TOKEN_SCOPES,
  type TokenArea,
  type TokenScope,
} from '#shared/token-scopes.ts';

const isOf = (permission: string, area: TokenArea): boolean => permission.startsWith(`${permissionsOf(area)}.`);
const READS = /\.(list|view)$/;

/**
 * The scopes a user with these permissions may give a token: nobody gives it a right that they lack (behaviour 3.10).
 * Reading in an area of staff takes one of its permissions, changing one that does more than list and view; where no
 * permission does more, what there is to do comes with viewing.
 */
export function grantableScopes(permissions: readonly string[]): TokenScope[] {
  const held = PERMISSIONS.filter(({ value }) => can(permissions, value)).map(({ value }) => value);
  return TOKEN_SCOPES.filter((scope) => {
    const area = areaOf(scope);
    if (!area.startsWith('admin.')) return true;
    const own = held.filter((value) => isOf(value, area));
    const readsOnly = !PERMISSIONS.some(({ value }) => isOf(value, area) && !READS.test(value));
    return scope.endsWith(':read') || readsOnly ? own.length > 0 : own.some((value) => !READS.test(value));
  });
}

/**
 * The permissions that a token acts with: of its user’s, those of the areas it is let into, and those that are no right
 * of staff. Never `admin.root`, which would be everything.
 */
export function permissionsWithin(permissions: readonly string[], scopes: readonly TokenScope[]): Permission[] {
  const areas = scopes.map(areaOf);
  return PERMISSIONS.map(({ value }) => value).filter(
    (value) => can(permissions, value) && (!value.startsWith('admin.') || areas.some((area) => isOf(value, area))),
  );
}

/** Scopes in the order of the catalogue, each once, without reading where changing is among them. */
export function normalizeScopes(scopes: readonly TokenScope[]): TokenScope[] {
  return TOKEN_SCOPES.filter(
    (scope) => scopes.includes(scope) && !(scope.endsWith(':read') && hasScope(writesOf(scopes), scope)),
  );
}

const writesOf = (scopes: readonly TokenScope[]): TokenScope[] => scopes.filter((scope) => scope.endsWith(':write'));
