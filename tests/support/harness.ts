import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createApi, type Api } from '#shared/contract/index.ts';
import { toCredits } from '#shared/credits.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { DAY } from '#shared/time.ts';
import type { Permission } from '#shared/permissions.ts';
import type { SettingChanges } from '#server/modules/settings/index.ts';
import { openHost, type Host, type HostDeps } from '#server/compose/host.ts';
import { composeWeb } from '#server/compose/web.ts';
import { readConfig, type Config } from '#server/env.ts';
import { createScheduler, type ScheduledTask } from '#server/jobs/scheduler.ts';
import { createLogFiles } from '#server/logs/files.ts';
import { createLog, type RequestLog } from '#server/http/log.ts';
import { memoryTransport, type ApiTransport } from '#server/http/transport.ts';
import { fakeClock, testIds, type FakeClock } from './clock.ts';
import { openTestDb, proveLedger, type Engine, type TestDb } from './db.ts';
import { roomyFolder } from './folder.ts';
import { spawnPackageReading, spawnSandbox } from './plugin-packages.ts';
import { thriftyPasswords } from './passwords.ts';
import { TEST_KEY } from './sealing.ts';

export interface Person {
  readonly id: string;
  readonly username: string;
  readonly secret: string;
  /** The typed client, acting as this person, through the whole API pipeline. */
  readonly api: Api;
}

export interface Harness {
  readonly host: Host;
  readonly db: TestDb;
  readonly clock: FakeClock;
  readonly transport: ApiTransport;
  readonly guest: Api;
  /** Errors that the log was given so far: event and what it says. */
  readonly errors: { readonly event: string; readonly fields: Record<string, unknown> | undefined }[];
  readonly log: RequestLog;
  /** The folder of the installation. */
  readonly dataDir: string;
  /** A person with an account and an open session; with permissions beyond a member's when asked for. */
  person(username: string, options?: { permissions?: readonly Permission[]; credits?: number }): Promise<Person>;
  /** Gives credits, as an adjustment. */
  creditPerson(userId: string, amount: number): Promise<void>;
  balance(userId: string): Promise<number>;
  set(changes: SettingChanges): Promise<void>;
  /** A request through the HTTP application (no pages), as from this machine. */
  http(path: string, init?: RequestInit): Promise<Response>;
  /** Runs jobs and scheduler turns that are due now, until there is nothing more to do. */
  drainJobs(): Promise<void>;
  close(): Promise<void>;
}

/** Password of every test person. */
export const PASSWORD = 'correct horse battery';

/** Has a test person confirm by their password who they are, which holds for ten minutes. */
export const confirmWho = ({ api }: Pick<Person, 'api'>): Promise<unknown> =>
  api.passkeys.confirm({ body: { password: PASSWORD } });

/** The product in memory: real database, real pipeline, a clock that stands still. */
export async function openHarness(
  options: {
    engine?: Engine;
    sample?: boolean;
    config?: Partial<Config>;
    panelsOutside?: HostDeps['panelsOutside'];
    spawnReader?: () => Worker;
    /** Plugins of others run, on threads of their own. */
    plugins?: boolean;
    backups?: HostDeps['backups'];
    imports?: HostDeps['imports'];
    /** What runs servers of the panel inside; they are imitated otherwise. */
    machine?: HostDeps['machine'];
    /**
     * Names of the scheduled tasks that `drainJobs` runs begin so, and all tasks are due from the start. Absent: all
     * run, each when its period is over, as in a host that has run before.
     */
    tasks?: string;
  } = {},
): Promise<Harness> {
  const db = await openTestDb(options.engine ?? 'sqlite', options.spawnReader);
  const clock = fakeClock();
  const ids = {
    ...testIds(),
    token: () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url'),
    hash: (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex'),
  };
  // A folder that is there: staff are told how much space it has, and files of messages lie in it.
  const dataDir = mkdtempSync(join(roomyFolder(), 'spawnpoint-data-'));
  const config = { ...readConfig({ DATA_DIR: dataDir }), appUrl: 'https://panel.example.com', ...options.config };
  const errors: Harness['errors'] = [];
  // Made where a test has the log write something.
  const logFolder = join(roomyFolder(), `spawnpoint-log-${crypto.randomUUID()}`);
  const logFiles = createLogFiles({ folder: logFolder, now: clock.now });
  logFiles.begin();
  const log: RequestLog = {
    ...createLog('silent', clock.now, () => undefined, logFiles),
    error: (event, fields) => void errors.push({ event, fields }),
  };
  const host = await openHost({
    config,
    log,
    logs: log,
    clock,
    ids,
    sample: options.sample ?? false,
    bus: db.bus,
    database: db.database,
    key: TEST_KEY,
    random: () => 0.5,
    passwords: thriftyPasswords(),
    ...(options.backups ? { backups: options.backups } : {}),
    ...(options.plugins ? { spawnSandbox, spawnPackageReading } : {}),
    ...(options.imports ? { imports: options.imports } : {}),
    ...(options.machine ? { machine: options.machine } : {}),
    ...(options.panelsOutside ? { panelsOutside: options.panelsOutside } : {}),
  });
  const { tasks, uptime } = host.services;
  const scheduler = createScheduler({
    uow: db.uow,
    clock,
    ids,
    log,
    tasks: tasks.filter(({ name }) => name.startsWith(options.tasks ?? '')),
    alive: uptime.beat,
  });
  if (options.tasks === undefined) await haveRun(db, tasks, clock.now());
  const transport = memoryTransport(host.api, host.ready);
  const handle = await composeWeb({
    config,
    transport,
    clock,
    ids,
    log,
    reach: host.services.reach,
    local: true,
    pages: false,
  });
  const apiAs = (secret: string | null): Api =>
    createApi(
      transport.fetcher(
        {
          requestId: 'test',
          address: '203.0.113.7',
          locale: 'en',
          secret,
          cookie: secret ? `${SESSION_COOKIE}=${secret}` : null,
          userAgent: 'Mozilla/5.0 (test)',
          signal: new AbortController().signal,
        },
        () => undefined,
      ),
      () => crypto.randomUUID(),
    );
  let made = 0;
  const creditPerson = async (userId: string, amount: number) => {
    await db.uow.run((tx) =>
      host.services.ledger.transfer(tx, {
        kind: 'adjustment',
        reference: `test:${userId}:${(made += 1)}`,
        postings: [{ source: 'system:adjustment', destination: `user:${userId}`, amount: toCredits(amount) }],
      }),
    );
  };
  return {
    host,
    db,
    clock,
    transport,
    errors,
    log,
    dataDir: config.dataDir,
    guest: apiAs(null),
    creditPerson,
    balance: (userId) => db.uow.read((tx) => host.services.ledger.balance(tx, `user:${userId}`)),
    set: (changes) => host.services.settings.set(null, changes),
    http: async (path, init) =>
      handle(new Request(`http://127.0.0.1${path}`, init), {
        requestIP: () => ({ address: '127.0.0.1' }),
        timeout: () => undefined,
      }),
    person: async (username, { permissions = [], credits = 0 } = {}) => {
      const { id, secret } = await addPerson(host, db, { username, permissions, ids: ids.uuid });
      if (credits > 0) await creditPerson(id, credits);
      return { id, username, secret, api: apiAs(secret) };
    },
    drainJobs: async () => {
      for (let round = 0; round < 50; round += 1) {
        await scheduler.tick();
        if ((await host.runner.runDue()) === 0) return;
      }
      throw new Error('jobs do not come to an end');
    },
    close: async () => {
      await proveLedger(db.uow);
      await host.scheduler.stop();
      await host.services.pluginRunning.stop();
      await host.runner.stop();
      await db.close();
      await logFiles.close();
      for (const folder of [logFolder, dataDir]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Has all tasks run just now: what runs each hour would run in the first moment of every test. */
async function haveRun(db: TestDb, tasks: readonly ScheduledTask[], nowMs: number): Promise<void> {
  await db.sql(
    `INSERT INTO schedules (name, next_ms) VALUES ${tasks.map(() => '(?, ?)').join(', ')}`,
    tasks.flatMap(({ name, everyMs }) => [name, nowMs + everyMs]),
  );
}

/** An account and an open session, with a role of its own where permissions are asked for. */
async function addPerson(
  host: Host,
  db: TestDb,
  who: { username: string; permissions: readonly Permission[]; ids: () => string },
): Promise<{ id: string; secret: string }> {
  const { identity } = host.services;
  const id = await identity.createUser({
    username: who.username,
    email: `${who.username}@example.com`,
    password: PASSWORD,
    first_name: 'Test',
    last_name: 'Person',
    locale: 'en',
    role: 'member',
  });
  if (who.permissions.length > 0) {
    const roleId = who.ids();
    const now = 0;
    await db.sql(
      'INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES (?, NULL, ?, ?, 1, 0, ?, ?)',
      [roleId, `role-${who.username}`, '#888888', now, now],
    );
    for (const permission of who.permissions)
      await db.sql('INSERT INTO role_permissions (role_id, permission) VALUES (?, ?)', [roleId, permission]);
    await db.sql('UPDATE users SET role_id = ? WHERE id = ?', [roleId, id]);
  }
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  const now = host.services.clock.now();
  await db.sql(
    "INSERT INTO sessions (id, user_id, token_hash, device, user_agent, address, created_ms, seen_ms, expires_ms) VALUES (?, ?, ?, 'Test', '', '203.0.113.7', ?, ?, ?)",
    [who.ids(), id, host.services.ids.hash(secret), now, now, now + 30 * DAY],
  );
  await db.sql('UPDATE users SET seen_ms = ? WHERE id = ?', [now, id]);
  return { id, secret };
}
