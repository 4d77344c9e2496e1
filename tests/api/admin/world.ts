import { testSealer } from '#tests/support/sealing.ts';
import { adminHandlers } from '#server/api/admin/index.ts';
import { createApiApp, type AllHandlers } from '#server/http/implement.ts';
import type { Ids } from '#server/modules/kernel.ts';
import { createOverview } from '#server/modules/overview/index.ts';
import { createSetupGuide } from '#server/modules/setup-guide/index.ts';
import { createApi, type Api } from '#shared/contract/index.ts';
import type { Permission } from '#shared/permissions.ts';
import { SETTINGS, type SettingValues } from '#shared/settings.ts';
import { fakeClock, testIds, type FakeClock } from '#tests/support/clock.ts';
import { openTestDb, type Engine, type TestDb } from '#tests/support/db.ts';

/** The admin part of the API over a fresh database, reached as HTTP reaches it, but in memory. */
export interface World {
  readonly db: TestDb;
  readonly clock: FakeClock;
  readonly ids: Ids;
  /** A client of somebody with exactly these permissions; none: of a guest. */
  as(...permissions: readonly Permission[]): Api;
  /** A bare request of the same person. */
  http(permissions: readonly Permission[], path: string, init?: RequestInit): Promise<Response>;
  /** Adds a person to the table of users. */
  user(username: string): Promise<string>;
  /** Adds a server that stands at a location and runs an egg. */
  server(place: { location?: string; egg?: string; category?: string; state?: string }): Promise<string>;
  close(): Promise<void>;
}

/** Who acts in these tests. */
export const ACTOR_ID = '0193aaaa-0000-7000-8000-00000000aaaa';

const defaults = Object.fromEntries(Object.entries(SETTINGS).map(([key, row]) => [key, row.default])) as SettingValues;

/** Groups that these tests do not call. */
const otherwise = new Proxy({}, { get: () => () => Promise.reject(new Error('not a part of these tests')) });

export async function openWorld(
  engine: Engine = 'sqlite',
  options: { ids?: Ids; settings?: Partial<SettingValues> } = {},
): Promise<World> {
  const db = await openTestDb(engine);
  const clock = fakeClock();
  const ids = options.ids ?? testIds();
  const settings = { current: () => ({ ...defaults, ...options.settings }) };
  const handlers = adminHandlers({
    uow: db.uow,
    long: db.database.long,
    clock,
    ids,
    settings,
    sealer: testSealer,
    overview: createOverview({ uow: db.uow, long: db.database.long, clock, settings }),
    setupGuide: createSetupGuide({
      uow: db.uow,
      clock,
      settings,
      appUrl: () => 'https://panel.example.com',
      mailServer: () => null,
      driver: 'embedded',
      nodeAnswers: null,
      seedSample: () => Promise.resolve(false),
      testPanel: () => Promise.resolve(),
      testService: () => Promise.resolve({ outcome: 'notSet', fact: null }),
      backups: { standing: () => ({ proven: null, elsewhere: null }), ensureProven: () => Promise.resolve() },
    }),
  });
  const app = createApiApp({
    handlers: new Proxy(handlers, { get: (own, name) => Reflect.get(own, name) ?? otherwise }) as AllHandlers,
    resolve: (secret) =>
      Promise.resolve({
        userId: ACTOR_ID,
        sessionId: 's',
        username: 'mirela',
        permissions: secret.split(' ').filter(Boolean),
        verified: true,
      }),
    flags: () => Object.fromEntries(Object.keys(SETTINGS).map((key) => [key, true])) as never,
    takeLimit: () => 0,
    hash: (text) => ids.hash(text),
    log: db.log,
  });
  const keys = testIds(9);
  const send = async (permissions: readonly Permission[], path: string, init: RequestInit = {}) =>
    app.fetch(new Request(`http://test${path}`, init), {
      requestId: 'r',
      address: '203.0.113.7',
      locale: 'en',
      secret: permissions.length > 0 ? permissions.join(' ') : null,
      keepOpen: () => undefined,
    });
  const own = testIds(7);
  const world: World = {
    db,
    clock,
    ids,
    as: (...permissions) =>
      createApi(
        (path, init) => send(permissions, path, init),
        () => keys.uuid(),
      ),
    http: send,
    async user(username) {
      const id = username === 'mirela' ? ACTOR_ID : own.uuid();
      await db.sql(
        `INSERT INTO users (id, username, username_key, email, email_key, password_hash, first_name, last_name, role_id, locale, status, terms_ms, password_version, created_ms, updated_ms)
         VALUES (?, ?, ?, ?, ?, '', '', '', ?, 'en', 'active', 0, 1, ?, ?) RETURNING id`,
        [
          id,
          username,
          username,
          `${username}@example.com`,
          `${username}@example.com`,
          await roleId(db),
          clock.now(),
          clock.now(),
        ],
      );
      return id;
    },
    async server({ location = '', egg = '', category = '', state = 'active' }) {
      const id = own.uuid();
      await db.sql(
        `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
         revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms) VALUES (?, ?, 'hub', '', ?, ?, ?, 256, 256, 5, 1, 0, 0, '{}', ?, 'running', 1, 1, 0, 0, 0, 0, 0) RETURNING id`,
        [id, ACTOR_ID, location, category, egg, state],
      );
      return id;
    },
    close: () => db.close(),
  };
  return world;
}

async function roleId(db: TestDb): Promise<string> {
  const known = await db.sql<{ id: string }>('SELECT id FROM roles ORDER BY id LIMIT 1');
  if (known[0]) return known[0].id;
  await db.sql(
    "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES ('role', 'member', 'Member', '#888888', 1, 1, 0, 0) RETURNING id",
  );
  return 'role';
}
