import { describe, expect, test } from 'bun:test';
import { PERMISSIONS } from '#shared/permissions.ts';
import { areaOf, hasScope, isApiToken, permissionsOf, TOKEN_SCOPES } from '#shared/token-scopes.ts';
import { grantableScopes, normalizeScopes, permissionsWithin } from './policy.ts';

const OWN = TOKEN_SCOPES.filter((scope) => !scope.startsWith('admin.'));

describe('scopes of tokens', () => {
  test('T35 a player may grant what is their own, and nothing of staff', () => {
    expect(OWN).toEqual([
      ...(['account', 'servers', 'store'] as const).flatMap((area) => [`${area}:read`, `${area}:write`] as const),
      'earn:read',
      ...(['tickets', 'images', 'community'] as const).flatMap((area) => [`${area}:read`, `${area}:write`] as const),
    ]);
    expect(grantableScopes([])).toEqual([...OWN]);
    expect(grantableScopes(['user.permission.vip'])).toEqual([...OWN]);
  });

  test('T40 nobody grants what they lack: reading takes a right of the area, changing one that does more than list and view', () => {
    expect(grantableScopes(['admin.users.list'])).toEqual([...OWN, 'admin.users:read']);
    expect(grantableScopes(['admin.users.edit'])).toEqual([...OWN, 'admin.users:read', 'admin.users:write']);
    expect(grantableScopes(['admin.server.queue.logs.view'])).toEqual([...OWN, 'admin.server.queue:read']);
    expect(grantableScopes(['admin.payments.view'])).toEqual([...OWN, 'admin.payments:read']);
    expect(grantableScopes(['admin.roles.edit', 'admin.permissions.edit', 'admin.sso.providers.edit'])).toEqual([
      ...OWN,
    ]);
    expect(grantableScopes(['admin.health.view'])).toEqual([...OWN, 'admin.health:read', 'admin.health:write']);
    expect(grantableScopes(['admin.plugins.list'])).toEqual([...OWN, 'admin.plugins:read', 'admin.webhooks:read']);
    expect(grantableScopes(['admin.plugins.edit'])).toEqual([
      ...OWN,
      'admin.plugins:read',
      'admin.plugins:write',
      'admin.webhooks:read',
      'admin.webhooks:write',
    ]);
    expect(grantableScopes(['admin.root'])).toEqual([...TOKEN_SCOPES]);
  });

  test('T40 a token acts with the rights of its areas and with those that are none of staff, never with admin.root', () => {
    expect(
      permissionsWithin(['admin.users.edit', 'admin.roles.edit', 'user.permission.vip'], ['admin.users:read']),
    ).toEqual(['admin.users.edit', 'user.permission.vip']);
    const all = permissionsWithin(['admin.root'], TOKEN_SCOPES);
    expect(all).toContain('admin.users.delete');
    expect(all.filter((each) => /^admin\.(root|roles|permissions|sso)/.test(each))).toEqual([]);
    // Webhooks have no permissions of their own.
    const webhooks = permissionsWithin(['admin.root'], ['admin.webhooks:read']);
    expect(webhooks.filter((each) => each.startsWith('admin.'))).toEqual(['admin.plugins.edit', 'admin.plugins.list']);
    expect(permissionsWithin(['admin.root'], ['servers:write']).filter((each) => each.startsWith('admin.'))).toEqual(
      [],
    );
    // The rights over the queue begin as those over servers do, but for one letter.
    expect(permissionsWithin(['admin.root'], ['admin.servers:write'])).not.toContain('admin.server.queue.list');
  });

  test('changing includes reading, and scopes are kept once and in order', () => {
    expect([hasScope(['servers:write'], 'servers:read'), hasScope(['servers:read'], 'servers:write')]).toEqual([
      true,
      false,
    ]);
    expect(normalizeScopes(['servers:write', 'account:read', 'servers:read', 'account:read'])).toEqual([
      'account:read',
      'servers:write',
    ]);
  });

  test('every area of staff is the beginning of permissions that there are, but webhooks, which have those of plugins', () => {
    const staff = TOKEN_SCOPES.map(areaOf).filter((area) => area.startsWith('admin.'));
    expect(staff.length).toBeGreaterThan(10);
    const found = staff.filter((area) => !PERMISSIONS.some(({ value }) => value.startsWith(`${area}.`)));
    // Webhooks are kept by who keeps plugins.
    expect([...new Set(found)]).toEqual(['admin.webhooks']);
    expect(permissionsOf('admin.webhooks')).toBe('admin.plugins');
  });

  test('T35 no session secret is taken for a token: those have another length and no beginning', () => {
    const random = 'A'.repeat(43);
    expect([isApiToken(`sp_live_${random}`), isApiToken(random), isApiToken(`sp_live_${random.slice(8)}`)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
