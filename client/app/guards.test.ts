import { afterEach, describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { SOURCE_SWITCHES, type FeatureSwitch } from '#shared/earning-sources.ts';
import { FLAGS } from '#shared/flags.ts';
import type { Route, RouteRow } from '#shared/routes/row.ts';
import { ROUTE_LIST, ROUTES, type RouteId } from '#shared/routes/table.ts';
import { installDom } from '#tests/support/dom.ts';
import { ANSWER } from '#tests/support/session.ts';
import type { SessionAnswer } from './boot.ts';
import type { SessionState } from './session-machine.ts';

await installDom('https://panel.example/');
const { createGuard } = await import('./guards.ts');
const KEY = 'redirectAfterLogin';
afterEach(() => localStorage.clear());

const ON: Readonly<Partial<Record<FeatureSwitch, boolean>>> = Object.fromEntries(
  [...FLAGS, ...SOURCE_SWITCHES, 'image_hosting_enabled'].map((name) => [name, true]),
);
interface World {
  present?: boolean;
  answer?: SessionAnswer | null;
  permissions?: readonly string[];
  state?: SessionState;
  /** What the server says when it is asked. */
  says?: World;
  flags?: Partial<Record<FeatureSwitch, boolean>>;
}

/**
 * A guard over a session that says what the test wants. Out: how it ends: `allow`, an address, a status; and what was
 * done.
 */
function guardOf(start: World) {
  let world = start;
  const seen = { denied: 0, asked: 0, disowned: 0 };
  const ask = async () => {
    seen.asked += 1;
    world = { ...world, ...world.says };
  };
  const saying = Promise.withResolvers<void>();
  const guard = createGuard({
    flags: { ...ON, ...start.flags },
    showAccessDenied: () => {
      seen.denied += 1;
      return saying.promise;
    },
    session: {
      get: () => world.answer ?? null,
      state: () => world.state ?? 'active',
      isPresent: () => world.present ?? false,
      permissions: () => world.permissions ?? world.answer?.permissions ?? [],
      refresh: ask,
      forceRefresh: ask,
      disown: () => {
        seen.disowned += 1;
        world = { ...world, present: false };
      },
    },
  });
  const end = async (work: Promise<unknown>): Promise<string | number | null> => {
    try {
      await work;
      return 'allow';
    } catch (thrown) {
      if (!(thrown instanceof Response)) throw thrown;
      return thrown.headers.get('location') ?? thrown.status;
    }
  };
  const rowOf = (id: RouteId): Route<RouteId> => ({ ...(ROUTES[id] as RouteRow), id });
  return {
    seen,
    closeDialog: () => saying.resolve(),
    authorizeRoute: (id: RouteId, path: string = ROUTES[id].path) =>
      end(guard.authorizeRoute(rowOf(id), new Request(`https://panel.example${path}`))),
    handleRefusal: (error: ApiError, path = '/store?tab=2') =>
      end(guard.handleRefusal(error, new Request(`https://panel.example${path}`))),
  };
}
const GUEST: World = {};
const PLAYER: World = { present: true, answer: { ...ANSWER, permissions: [] } };
const STAFF: World = { present: true, answer: ANSWER };

describe('before a page', () => {
  test('S2.11 a guest without a cookie is sent to the login, and the full path is stored', async () => {
    expect(await guardOf(GUEST).authorizeRoute('store', '/store?tab=2&q=a%20b')).toBe('/auth/login');
    expect(localStorage.getItem(KEY)).toBe('/store?tab=2&q=a%20b');
  });

  test.each(ROUTE_LIST.map((row) => [row.id, row] as const))(
    'S2.4 S2.10 S2.11 %s has its outcome for a guest, a player and a holder of everything',
    async (id, row) => {
      const open = row.guard === 'open' || row.guard === 'guest-only';
      const [guest, player, root] = [
        guardOf(GUEST),
        guardOf(PLAYER),
        guardOf({ ...STAFF, permissions: ['admin.root'] }),
      ];
      player.closeDialog();
      expect(await guest.authorizeRoute(id, row.path)).toBe(open ? 'allow' : '/auth/login');
      localStorage.clear();
      const staffOnly = row.guard.startsWith('admin.');
      expect(await player.authorizeRoute(id, row.path)).toBe(
        row.guard === 'guest-only' ? '/dashboard' : staffOnly ? '/errors/403' : 'allow',
      );
      expect(player.seen.denied).toBe(staffOnly ? 1 : 0);
      expect(await root.authorizeRoute(id, row.path)).toBe(row.guard === 'guest-only' ? '/dashboard' : 'allow');
    },
  );

  test('S2.4 S2.12 a logged-in visitor goes from the login to the stored target once, else to the dashboard', async () => {
    localStorage.setItem(KEY, '/store?tab=2');
    const { authorizeRoute } = guardOf(PLAYER);
    expect([
      await authorizeRoute('auth.login'),
      localStorage.getItem(KEY),
      await authorizeRoute('auth.register'),
    ]).toEqual(['/store?tab=2', null, '/dashboard']);
  });

  test('S2.10 S8.3 a visitor without the permission sees the dialog first, then /errors/403', async () => {
    const { authorizeRoute, seen, closeDialog } = guardOf(PLAYER);
    let ended: unknown = null;
    const going = authorizeRoute('admin.eggs.list').then((where) => (ended = where));
    await new Promise((resolve) => setImmediate(resolve));
    expect([seen.denied, ended]).toEqual([1, null]);
    closeDialog();
    expect(await going).toBe('/errors/403');
  });

  test('S8.3 two refusals at once are one dialog', async () => {
    const { authorizeRoute, seen, closeDialog } = guardOf(PLAYER);
    const both = Promise.all([authorizeRoute('admin.eggs.list'), authorizeRoute('admin.dashboard')]);
    await new Promise((resolve) => setImmediate(resolve));
    closeDialog();
    expect([await both, seen.denied]).toEqual([['/errors/403', '/errors/403'], 1]);
  });

  test('S5.1 S5.2 admin.root enters everywhere, another permission only where it is asked for', async () => {
    const staff = guardOf(STAFF);
    staff.closeDialog();
    expect([
      await staff.authorizeRoute('admin.eggs.list'),
      await staff.authorizeRoute('admin.eggs.create'),
      await guardOf({ ...STAFF, permissions: ['admin.root'] }).authorizeRoute('admin.eggs.create'),
    ]).toEqual(['allow', '/errors/403', 'allow']);
  });

  test('S4.2 S5.3 cached permissions suffice to enter a page; the server is asked before a visitor is refused', async () => {
    const cached = guardOf({ present: true, answer: null, permissions: ['admin.egg.list'], says: PLAYER });
    expect([await cached.authorizeRoute('admin.eggs.list'), cached.seen]).toEqual([
      'allow',
      { denied: 0, asked: 1, disowned: 0 },
    ]);
    const bare = guardOf({ present: true, answer: null, says: STAFF });
    expect([await bare.authorizeRoute('admin.eggs.list'), bare.seen.denied]).toEqual(['allow', 0]);
  });

  test('S4.5 a cookie that has vanished makes a guest, whatever was known', async () => {
    const gone = guardOf({ present: false, answer: ANSWER, says: { answer: null } });
    expect([await gone.authorizeRoute('admin.eggs.list'), gone.seen.asked]).toEqual(['/auth/login', 1]);
  });

  test('a feature that is switched off is not found', async () => {
    expect(await guardOf({ ...PLAYER, flags: { store_enabled: false } }).authorizeRoute('store')).toBe(404);
    expect(await guardOf({ ...PLAYER, flags: { links_enabled: false } }).authorizeRoute('earn.links')).toBe(404);
  });
});

const WAITING: World = { present: true, answer: null, state: 'blocked' };
const FORCED: World = {
  present: true,
  answer: { ...ANSWER, permissions: ['admin.root'], user_info: { ...ANSWER.user_info, second_factor: 'required' } },
};

describe('a log-in that is not complete', () => {
  test.each(ROUTE_LIST.map((row) => [row.id, row] as const))(
    'T30 %s has its outcome for a visitor who waits for the second factor',
    async (id, row) => {
      const shut = row.guard !== 'open' && row.guard !== 'guest-only';
      const { authorizeRoute, seen } = guardOf(WAITING);
      expect(await authorizeRoute(id, `${row.path}?tab=2`)).toBe(shut ? '/auth/2fa/verify' : 'allow');
      expect([localStorage.getItem(KEY), seen.denied]).toEqual([shut ? `${row.path}?tab=2` : null, 0]);
    },
  );

  test.each(ROUTE_LIST.map((row) => [row.id, row] as const))(
    'T30 %s has its outcome for a visitor who has to set one up first',
    async (id, row) => {
      const open = row.guard === 'open' || id === 'auth.factorSetup' || id === 'auth.factorCancel';
      expect(await guardOf(FORCED).authorizeRoute(id, row.path)).toBe(
        row.guard === 'guest-only' ? '/dashboard' : open ? 'allow' : '/auth/2fa/setup',
      );
    },
  );

  test('no redirect leads in a circle: a visitor may stay on its target, or is sent on to one', async () => {
    for (const world of [GUEST, PLAYER, WAITING, FORCED]) {
      for (const row of ROUTE_LIST) {
        const { authorizeRoute, closeDialog } = guardOf(world);
        closeDialog();
        let where: string | number | null = row.path;
        let steps = 0;
        while (typeof where === 'string' && where !== 'allow') {
          const path: string = where;
          where = await authorizeRoute(ROUTE_LIST.find((each) => each.path === path)?.id ?? 'dashboard', path);
          expect((steps += 1)).toBeLessThan(5);
        }
        expect(where).toBe('allow');
        localStorage.clear();
      }
    }
  });

  test('the server is asked before, because another tab may have passed the second factor', async () => {
    const { authorizeRoute, seen } = guardOf({ ...WAITING, says: { ...PLAYER, state: 'active' } });
    expect([await authorizeRoute('store'), seen.asked, localStorage.getItem(KEY)]).toEqual(['allow', 1, null]);
    expect(await guardOf({ ...WAITING, says: { ...PLAYER, state: 'active' } }).authorizeRoute('auth.factor')).toBe(
      '/dashboard',
    );
  });

  test('the wanted page stays stored right after the password until the second step', async () => {
    localStorage.setItem(KEY, '/store?tab=2');
    const { authorizeRoute } = guardOf({ present: true, answer: null, state: 'none', says: WAITING });
    expect([await authorizeRoute('auth.factor'), localStorage.getItem(KEY)]).toEqual(['allow', '/store?tab=2']);
    expect(await guardOf(PLAYER).authorizeRoute('auth.factor')).toBe('/store?tab=2');
  });
});

describe('what the server refuses', () => {
  test.each([
    ['TW0_FA_BLOCKED', '/auth/2fa/verify', 0],
    ['TWO_FACTOR_REQUIRED', '/auth/2fa/setup', 1],
  ] as const)(
    'S4.7 %s goes to %s, and the page is remembered; the session is asked for %d times',
    async (code, where, asked) => {
      const { handleRefusal, seen } = guardOf(PLAYER);
      expect([await handleRefusal(new ApiError(code, 403)), seen, localStorage.getItem(KEY)]).toEqual([
        where,
        { denied: 0, asked, disowned: 0 },
        '/store?tab=2',
      ]);
    },
  );

  test('S8.3 a permission that was revoked shows the dialog and /errors/403, and refreshes the permissions', async () => {
    const { handleRefusal, seen, closeDialog } = guardOf(STAFF);
    closeDialog();
    expect([await handleRefusal(new ApiError('FORBIDDEN', 403)), seen.denied, seen.asked]).toEqual([
      '/errors/403',
      1,
      1,
    ]);
  });

  test('S8.2 a session that has ended is asked about; its dialog leads to the login, and the page waits', async () => {
    const { handleRefusal, seen } = guardOf({ ...PLAYER, says: { state: 'failed', present: false, answer: null } });
    let ended = false;
    void handleRefusal(new ApiError('UNAUTHENTICATED', 401)).then(() => (ended = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect([ended, seen]).toEqual([false, { denied: 0, asked: 1, disowned: 0 }]);
  });

  test('S2.13 S2.11 a cookie that only looks like a login ends at the login, with the page stored', async () => {
    const { handleRefusal, seen } = guardOf({ present: true, answer: null, state: 'none' });
    expect([
      await handleRefusal(new ApiError('UNAUTHENTICATED', 401)),
      seen.disowned,
      localStorage.getItem(KEY),
    ]).toEqual(['/auth/login', 1, '/store?tab=2']);
  });

  test.each([
    ['SERVER_UNAVAILABLE', 503],
    ['SERVER_ERROR', 500],
    ['NOT_FOUND', 404],
    ['SERVER_BUSY', 409],
  ] as const)('S8.1 %s is for the page to show: the session lives', async (code, status) => {
    const { handleRefusal, seen } = guardOf(PLAYER);
    expect([await handleRefusal(new ApiError(code, status)), seen]).toEqual([
      'allow',
      { denied: 0, asked: 0, disowned: 0 },
    ]);
  });
});
