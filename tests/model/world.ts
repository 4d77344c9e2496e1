import { createKeyed } from '#server/keyed.ts';
import { composeServices, type Services } from '#server/compose/services.ts';
import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { DAY } from '#shared/time.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { filledSqlitePlace, NO_FLUSH, postgresPlace, templateDatabase, type Engine } from '#tests/support/db.ts';
import { testLog } from '#tests/support/log.ts';
import { TEST_KEY, testSealer } from '#tests/support/sealing.ts';
import type { Tx } from '#server/modules/tx.ts';
import { breakable } from './breaking.ts';
import { askingServices, outsideWorld } from './outside.ts';
import { SUSPECT, TERMS } from './plain.ts';

/** A person of the model, with a login on two devices and a server that is up. */
export interface Player {
  readonly userId: string;
  readonly devices: readonly [SignedIn, SignedIn];
  readonly serverId: string;
}
export type World = Awaited<ReturnType<typeof openWorld>>;

/** The product's services as it composes them itself, over one database, with transactions that can be broken off. */
export async function openWorld(engine: Engine) {
  const place = engine === 'sqlite' ? await filledSqlitePlace() : await postgresPlace(await templateDatabase());
  const [clock, ids] = [fakeClock(), testIds()];
  const log = testLog();
  const bus = createBus(log);
  const outside = outsideWorld();
  const players: Player[] = [];
  const indexOf = (userId: string) => players.findIndex((player) => player.userId === userId);
  const open = async () => {
    const database = breakable(openDatabase({ ...place.where, bus, log, sync: NO_FLUSH }));
    const services = await composeServices({
      config: { mail: null, appUrl: 'https://play.example.test', localUrl: 'http://127.0.0.1:3000' },
      database,
      bus,
      clock,
      ids,
      log,
      sealer: testSealer,
      keyed: createKeyed(TEST_KEY),
      appKey: TEST_KEY,
    });
    return { database, services, asking: askingServices(services, outside, indexOf) };
  };
  let now = await open();
  await now.services.settings.set(null, {
    afk_daily_cap: TERMS.cap,
    afk_per_minute: TERMS.perMinute,
    redeem_daily_cap: TERMS.redeemCap,
    redeem_daily_budget: TERMS.redeemBudget,
    link_generic_enabled: true,
    redeem_wrong_tries: TERMS.tries,
    server_renew_cost: TERMS.cost,
    server_renew_days: TERMS.days,
    renew_max_days: TERMS.maxDays,
  });
  await now.database.uow.run((tx) => now.services.catalog.seedSample(tx));
  return {
    clock,
    ids,
    log,
    players,
    outside,
    get database() {
      return now.database;
    },
    get services() {
      return now.services;
    },
    /** Those that ask somebody outside, with somebody who answers. */
    get asking() {
      return now.asking;
    },
    /** A Discord server that pays for joining. Gives the id of its entry. */
    async addGuild(number: number, credits: number): Promise<string> {
      const id = ids.uuid();
      await now.database.write(({ raw }) =>
        raw.run(
          `INSERT INTO j4r_servers (id, name, description, invite, guild_id, guild_name, members, lookup, lookup_ms, credits, pays_members, min_account_days, position, enabled, since_ms, created_ms, updated_ms)
           VALUES (?, ?, '', ?, ?, 'Guild', 1, 'found', 0, ?, 1, 0, 0, 1, 0, 0, 0)`,
          [id, `Guild ${number}`, `invite${number}`, `guild-${number}`, credits],
        ),
      );
      return id;
    },
    /**
     * Somebody whom a user brought: with an account of two days and a server. `also` joins the transaction. Gives the
     * id.
     */
    async addNewcomer(number: number, also: (tx: Tx, userId: string) => Promise<void>): Promise<string> {
      const made = await newPlayer(now.services, 10_000 + number, { ageDays: 2, logins: false });
      await now.services.uow.run((tx) => also(tx, made.userId));
      return made.userId;
    },
    async addPlayer(): Promise<Player> {
      const player = await newPlayer(now.services, players.length);
      if (players.length === SUSPECT) {
        const others: string[] = [];
        for (let number = 0; number < 4; number += 1)
          others.push((await newPlayer(now.services, 2000 + number, { ageDays: 300, logins: false })).userId);
        await suspect(now.services, player.userId, others);
      }
      players.push(player);
      return player;
    },
    /** The process ends and comes back: what was only in memory is gone. */
    async restart(): Promise<void> {
      await now.database.close();
      now = await open();
    },
    async close(): Promise<void> {
      await now.database.close();
      await place.remove();
    },
  };
}

/** Makes somebody look suspicious: several accounts, made together with theirs, came to their device at once. */
async function suspect({ uow, clock }: Services, userId: string, others: readonly string[]): Promise<void> {
  await uow.run(async (tx) => {
    for (const who of [userId, ...others])
      await tx.abuse.recordSignals(who, [{ kind: 'device', value: 'a device' }], clock.now());
  });
}

async function newPlayer(
  { uow, ids, clock, limits }: Services,
  index: number,
  { ageDays, logins } = { ageDays: 300, logins: true },
): Promise<Player> {
  const userId = ids.uuid();
  const username = `player${index}`;
  const now = clock.now();
  const context = (sessionId: string): SignedIn => ({
    actor: { userId, sessionId, username, permissions: [], verified: true },
    requestId: 'r',
    locale: 'en',
    address: `203.0.113.${index + 1}`,
    userAgent: 'test',
    idempotency: null,
  });
  const devices = [context(ids.uuid()), context(ids.uuid())] as const;
  const serverId = ids.uuid();
  await uow.run(async (tx) => {
    const role = await tx.access.defaultRole();
    await tx.identity.addUser({
      id: userId,
      username,
      email: `${username}@mail${index}.example`,
      passwordHash: '-',
      firstName: 'A',
      lastName: 'B',
      roleId: role.id,
      locale: 'en',
      verifiedMs: now,
      createdMs: now - ageDays * DAY,
    });
    await limits.grantDefaults(tx, userId);
    for (const { actor, address } of logins ? devices : []) {
      const login = {
        id: actor.sessionId,
        userId,
        tokenHash: ids.token(),
        device: 'Firefox',
        userAgent: 'test',
        address,
      };
      await tx.identity.addSession({ ...login, createdMs: now, seenMs: now, expiresMs: now + 100_000 * DAY });
    }
    const [location] = await tx.catalog.locations();
    const [egg] = await tx.catalog.eggs();
    if (!location || !egg) throw new Error('the sample catalogue is empty');
    await tx.servers.add({
      id: serverId,
      userId,
      name: 'Lanternwood',
      description: '',
      locationId: location.id,
      categoryId: egg.categoryId,
      eggId: egg.id,
      resources: { memory: 1024, disk: 1024, cpu: 100, ports: 1, databases: 0, backups: 0 },
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
      panelId: `model-${serverId}`,
      panelState: 'ready',
      panelSeenMs: now,
      address: '192.0.2.1:25565',
      revision: 1,
      syncedRevision: 1,
      expiresMs: now + TERMS.days * DAY,
      autoRenew: false,
      autoRenewOrder: 0,
      periods: 0,
      createdMs: now,
      updatedMs: now,
    });
  });
  return { userId, devices, serverId };
}
