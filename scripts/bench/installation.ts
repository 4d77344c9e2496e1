import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openHost, type Host } from '#server/compose/host.ts';
import { readConfig, type Config } from '#server/env.ts';
import { createLog, type RequestLog } from '#server/http/log.ts';
import type { SpawnReader } from '#server/data/reader/thread.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import type { Clock } from '#server/modules/kernel.ts';
import { toCredits } from '#shared/credits.ts';
import { MARKER_COOKIE, SESSION_COOKIE } from '#shared/constants.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';

/** A plain browser: one that is not taken for a bot. */
export const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** An installation in a temporary folder, with its host open. The log is written to a file, as in production. */
export interface World {
  readonly folder: string;
  readonly config: Config & { readonly appUrl: string };
  readonly log: RequestLog;
  readonly host: Host;
  close(): Promise<void>;
}

/**
 * Opens an installation with the sample catalogue in a folder. `clock`: another than the system's; `spawnReader`:
 * threads for long questions, as the served program has them; `spawnSandbox`: threads for plugins of others; `url`: an
 * empty PostgreSQL database, SQLite in the folder when absent.
 */
export async function openWorld(
  folder: string,
  {
    clock = systemClock,
    spawnReader,
    spawnSandbox,
    url,
  }: {
    readonly clock?: Clock;
    readonly spawnReader?: SpawnReader;
    readonly spawnSandbox?: () => Worker;
    readonly url?: string | undefined;
  } = {},
): Promise<World> {
  const place = { DATA_DIR: folder, ...(url === undefined ? {} : { DATABASE_URL: url }) };
  const config = { ...readConfig({ ...place, LOG_LEVEL: 'info' }), appUrl: 'http://127.0.0.1:3000' };
  const file = openSync(join(folder, 'log'), 'a');
  const log = createLog(config.logLevel, clock.now, (text) => void writeSync(file, text));
  const host = await openHost({ config, log, clock, ids: systemIds, sample: true, spawnReader, spawnSandbox });
  // Its servers stand in no panel: the comparison with one would find every one of them missing.
  await host.services.uow.run((tx) =>
    tx.jobs.beginRun('servers.reconcile', clock.now(), clock.now() + 10 * MINUTE, null),
  );
  return {
    folder,
    config,
    log,
    host,
    async close() {
      await host.close();
      log.flush();
      closeSync(file);
    },
  };
}

/** Movements that stand in each user's statement, where nothing else is said. */
const MOVEMENTS = 24;
const NAMES = ['Survival with friends', 'Skyblock', 'Lobby', 'Terraria night'];

/**
 * Adds players who are signed in: a wallet with movements, raised limits, notifications and `servers` servers each;
 * `movements` tells how many. Out: a Cookie header for each. Nobody logs in with a password, so that making them takes
 * no time.
 */
export async function addPlayers(
  host: Host,
  players: number,
  servers: number,
  movements = MOVEMENTS,
): Promise<string[]> {
  const { services, database } = host;
  const now = systemClock.now();
  const cookies: string[] = [];
  await database.uow.run(async (tx) => {
    const role = await tx.access.defaultRole();
    for (let number = 0; number < players; number += 1) {
      const id = systemIds.uuid();
      const name = `player${String(number).padStart(4, '0')}`;
      await tx.identity.addUser({
        id,
        username: name,
        email: `${name}@example.com`,
        passwordHash: '-',
        firstName: 'Alex',
        lastName: 'Player',
        roleId: role.id,
        locale: 'en',
        verifiedMs: now,
        createdMs: now - 20 * DAY,
      });
      await services.limits.grantDefaults(tx, id);
      for (const [kind, amount] of Object.entries({
        memory: 16_384,
        disk: 65_536,
        cpu: 800,
        slots: 4,
        ports: 8,
        databases: 8,
        backups: 8,
      })) {
        await services.limits.raise(tx, id, kind as 'memory', amount);
      }
      for (let movement = 0; movement < movements; movement += 1) {
        const wallet = `user:${id}` as const;
        const earned = {
          kind: 'reward.afk',
          subject: null,
          postings: [{ source: 'system:reward.afk', destination: wallet, amount: toCredits(40) }],
        } as const;
        const bought = {
          kind: 'store.buy',
          subject: 'memory',
          postings: [{ source: wallet, destination: 'system:store', amount: toCredits(25) }],
        } as const;
        await services.ledger.transfer(tx, {
          ...(movement % 3 === 2 ? bought : earned),
          reference: `bench:${id}:${movement}`,
        });
      }
      await services.notifications.notify(tx, [
        { userId: id, kind: 'newDevice', data: { device: 'Firefox', address: '203.0.113.7' } },
      ]);
      cookies.push(await openSession(tx, id));
      if (servers > 0) await addServers(tx, id, servers, now);
    }
  });
  return cookies;
}

type Tx = Parameters<Parameters<Host['database']['uow']['run']>[0]>[0];

/** Opens a session of a user in a plain browser on this machine, without a password. Out: its Cookie header. */
export async function openSession(tx: Tx, userId: string): Promise<string> {
  const [now, secret] = [systemClock.now(), systemIds.token()];
  await tx.identity.addSession({
    id: systemIds.uuid(),
    userId,
    tokenHash: systemIds.hash(secret),
    device: 'Chrome · Linux',
    userAgent: BROWSER,
    address: '127.0.0.1',
    createdMs: now,
    seenMs: now,
    expiresMs: now + 365 * DAY,
  });
  return `${SESSION_COOKIE}=${secret}; ${MARKER_COOKIE}=1`;
}

async function addServers(tx: Tx, userId: string, count: number, now: number): Promise<void> {
  const [location] = await tx.catalog.locations();
  const [egg] = await tx.catalog.eggs();
  if (!location || !egg) throw new Error('the sample catalogue is missing');
  for (let number = 0; number < count; number += 1) {
    const id = systemIds.uuid();
    await tx.servers.add({
      id,
      userId,
      name: NAMES[number % NAMES.length] ?? 'Server',
      description: '',
      locationId: location.id,
      categoryId: egg.categoryId,
      eggId: egg.id,
      resources: { memory: 2048, disk: 8192, cpu: 100, ports: 1, databases: 1, backups: 1 },
      variables: {},
      state: 'active',
      desired: 'running',
      suspendReason: null,
      failure: null,
      panel: null,
      panelNode: null,
      panelIdentifier: null,
      startupRevision: 0,
      primaryPort: null,
      reinstallMs: null,
      adoptedMs: null,
      panelId: `bench-${id}`,
      panelState: 'ready',
      panelSeenMs: now,
      address: `fra.play.example:${25_565 + number}`,
      revision: 1,
      syncedRevision: 1,
      expiresMs: now + (number + 1) * 30 * HOUR,
      autoRenew: number % 2 === 0,
      autoRenewOrder: number,
      periods: number,
      createdMs: now - (number + 1) * DAY,
      updatedMs: now,
    });
  }
}
