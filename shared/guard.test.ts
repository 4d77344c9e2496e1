import { describe, expect, test } from 'bun:test';
import { decideAccess, secondFactorDetour, isOn, type Guard } from './guard.ts';

const GUEST = { signedIn: false, permissions: [] };
const PLAYER = { signedIn: true, permissions: [] };
const STAFF = { signedIn: true, permissions: ['admin.users.list'] };
const OWNER = { signedIn: true, permissions: ['admin.root'] };

describe('who may see a route', () => {
  const fates = (guard: Guard) => [GUEST, PLAYER, STAFF, OWNER].map((visitor) => decideAccess({ guard }, visitor, {}));
  test('S2 guests go to the log-in, users without the right are refused, and guest pages are for guests only', () => {
    expect(fates('open')).toEqual(['allow', 'allow', 'allow', 'allow']);
    expect(fates('guest-only')).toEqual(['allow', 'home', 'home', 'home']);
    expect(fates('signed-in')).toEqual(['login', 'allow', 'allow', 'allow']);
    expect(fates('admin.users.list')).toEqual(['login', 'forbidden', 'allow', 'allow']);
    expect(fates('admin.users.edit')).toEqual(['login', 'forbidden', 'forbidden', 'allow']);
  });

  test('S3 a route whose feature is off is hidden from those who may see it, and refused to the others', () => {
    const flag = 'store_enabled' as const;
    for (const guard of ['open', 'signed-in'] as const) {
      expect(decideAccess({ guard, flag }, PLAYER, { store_enabled: true })).toBe('allow');
      for (const off of [{}, { store_enabled: false }, { store_enabled: 'true' }, { store_enabled: 1 }])
        expect(decideAccess({ guard, flag }, PLAYER, off)).toBe('hidden');
    }
    expect(decideAccess({ guard: 'signed-in', flag }, GUEST, {})).toBe('login');
    expect(decideAccess({ guard: 'admin.users.list', flag }, PLAYER, {})).toBe('forbidden');
    expect([isOn(flag, { store_enabled: true }), isOn(flag, { afk_enabled: true })]).toEqual([true, false]);
  });
});

describe('a log-in that is not complete', () => {
  const route = (guard: Guard, id = 'dashboard') => ({ id, guard });
  test('T30 the guard leads to the second factor or its set-up from every route that is not open or part of it', () => {
    for (const guard of ['open', 'guest-only'] as const)
      expect([
        secondFactorDetour(route(guard), true, 'required'),
        secondFactorDetour(route(guard), false, 'required'),
      ]).toEqual([null, null]);
    for (const guard of ['signed-in', 'admin.users.list'] as const) {
      expect(secondFactorDetour(route(guard), true, 'required')).toBe('factor');
      expect(secondFactorDetour(route(guard), true, 'off')).toBe('factor');
      expect(secondFactorDetour(route(guard), false, 'required')).toBe('set-up');
      expect([
        secondFactorDetour(route(guard), false, 'off'),
        secondFactorDetour(route(guard), false, undefined),
      ]).toEqual([null, null]);
    }
    for (const id of ['auth.factorSetup', 'auth.factorCancel']) {
      expect(secondFactorDetour(route('signed-in', id), false, 'required')).toBeNull();
      expect(secondFactorDetour(route('signed-in', id), true, 'required')).toBe('factor');
    }
  });
});
