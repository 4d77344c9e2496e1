import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { Servers } from '#server/modules/servers/index.ts';
import { DAY, iso, MINUTE, SECOND } from '#shared/time.ts';
import { keyed } from '#tests/support/coins.ts';
import { ENGINES, proveLedger, type Engine } from '#tests/support/db.ts';
import { mortal } from '#tests/support/kill.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

let world: ServersWorld;
async function openWorld(engine: Engine): Promise<void> {
  world = await serversWorld(engine);
  await world.settings.set(null, { embedded_install_seconds: 1 });
}
beforeEach(() => openWorld('sqlite'));
/** Plays on another engine: for what is paid, which must be so on both. */
async function beginOn(engine: Engine): Promise<void> {
  if (engine === 'sqlite') return;
  await world.close();
  await openWorld(engine);
}
afterEach(() => world.close());

/** Runs the work of a process until it has nothing more to do, turning the clock. */
async function work(runner: { runDue(): Promise<number> }, seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at += 1) {
    await runner.runDue();
    world.clock.advance(SECOND);
  }
}

type RealPanel = Awaited<ReturnType<ServersWorld['addPanel']>>;
interface Story {
  /** Makes what must be there before. */
  before?(ctx: SignedIn): Promise<string>;
  /**
   * The command, once in the process that dies and again (same key) after the restart, as a client does that got no
   * answer.
   */
  command(servers: Servers, ctx: SignedIn, id: string): Promise<unknown>;
  /** What must hold in the end. */
  after(ctx: SignedIn, id: string): Promise<void>;
}

/**
 * Plays the story with a death at each moment in turn, restarts, lets the product go on, and proves the end. Gives the
 * number of deaths.
 */
async function everyMoment(story: Story, real?: RealPanel): Promise<number> {
  for (let moment = 1; ; moment += 1) {
    const person = await world.person({ credits: 100, limits: { slots: 1 } });
    const ctx = keyed(person, `key-${moment}`);
    const id = (await story.before?.(person)) ?? '';
    const one = mortal(world.db.uow, real?.inner ?? world.inner, moment);
    const first = real
      ? world.instance(one.uow, world.inner, [
          { id: real.id, name: 'real', panel: one.panel, catalogue: real.catalogue },
        ])
      : world.instance(one.uow, one.panel);
    const life = (async () => {
      await story.command(first.servers, ctx, id);
      await work(first.runner, 5);
    })();
    await Promise.race([life, one.died]);
    // A restart: leases of the dead run out, the client asks again, the worker and the sweeps do what is left.
    world.clock.advance(6 * MINUTE);
    await story.command(world.servers, ctx, id).catch((error: unknown) => {
      if (!one.dead()) throw error;
      throw new Error(`after a death at moment ${moment}: ${String(error)}`);
    });
    await world.servers.processExpiry();
    await world.pass(5 * MINUTE);
    while (await world.buildStep());
    await world.servers.requeueStale(0);
    await world.servers.reconcile();
    await world.pass(5 * MINUTE);
    await story.after(ctx, id);
    await proveLedger(world.uow);
    if (!one.dead()) return moment - 1;
  }
}

const ofUser = (ctx: SignedIn) => world.uow.read((tx) => tx.servers.listByUser(ctx.actor.userId));
const openEntries = () => world.db.sql("SELECT id FROM server_queue WHERE state IN ('queued', 'building')");

describe('T26 kill -9 at every moment', () => {
  test('T26 a kill of a creation leaves one server in the end, counted once', async () => {
    const deaths = await everyMoment({
      command: (servers, ctx) => servers.create(ctx, world.serverInput()),
      after: async (ctx) => {
        const servers = await ofUser(ctx);
        expect(servers.map((server) => server.state)).toEqual(['active']);
        const mine = (await world.inPanel()).filter((server) => server.externalId === servers[0]?.id);
        expect(mine).toMatchObject([{ state: 'ready', suspended: false }]);
        expect(await world.inPanel()).toHaveLength(await world.slotsUsed());
        expect(await world.used(ctx)).toMatchObject({ slots: 1, memory: 512 });
        expect(await openEntries()).toEqual([]);
      },
    });
    expect(deaths).toBeGreaterThan(30);
  });

  test.each(ENGINES)(
    'T26 a kill of a renewal that brings a server back leaves it paid once, and back, on %s',
    async (engine) => {
      await beginOn(engine);
      const shown = new Map<string, string | null>();
      const deaths = await everyMoment({
        before: async (ctx) => {
          const id = await world.upServer(ctx);
          await world.db.sql(
            "UPDATE servers SET state = 'suspended', suspend_reason = 'expired', desired = 'suspended', revision = revision + 1, expires_ms = ? WHERE id = ?",
            [world.clock.now() - DAY, id],
          );
          await world.servers.sync({ serverId: id, revision: (await world.row(id)).revision }, 1);
          shown.set(id, iso((await world.row(id)).expiresMs));
          return id;
        },
        command: (servers, ctx, id) => servers.renew(ctx, id, { price: 100, expiresAt: shown.get(id) ?? null }),
        after: async (ctx, id) => {
          expect(await world.balance(ctx)).toBe(0);
          expect(await world.row(id)).toMatchObject({ state: 'active', periods: 1 });
          expect((await world.inPanel()).find((server) => server.externalId === id)).toMatchObject({
            suspended: false,
          });
        },
      });
      expect(deaths).toBeGreaterThan(8);
    },
  );

  test.each(ENGINES)('T26 a kill of an automatic renewal leaves it paid once, on %s', async (engine) => {
    await beginOn(engine);
    const deaths = await everyMoment({
      before: async (ctx) => {
        const id = await world.upServer(ctx, { autoRenew: true });
        await world.db.sql('UPDATE servers SET expires_ms = ? WHERE id = ?', [world.clock.now(), id]);
        return id;
      },
      command: (servers) => servers.processExpiry(),
      after: async (ctx, id) => {
        expect(await world.balance(ctx)).toBe(0);
        expect(await world.row(id)).toMatchObject({ state: 'active', periods: 1 });
      },
    });
    expect(deaths).toBeGreaterThan(0);
  });

  test('T26 a kill of a change has it reach the panel, and the limits count it once', async () => {
    const resources = { memory: 1024, disk: 512, cpu: 50, ports: 2, databases: 0, backups: 0 };
    const deaths = await everyMoment({
      before: (ctx) => world.upServer(ctx),
      command: (servers, ctx, id) => servers.update(ctx, id, { name: 'Renamed', description: '', resources }),
      after: async (ctx, id) => {
        expect((await world.inPanel()).find((server) => server.externalId === id)).toMatchObject({
          name: 'Renamed',
          resources,
        });
        expect(await world.used(ctx)).toMatchObject({ memory: 1024, ports: 2, slots: 1 });
        expect((await world.row(id)).syncedRevision).toBe((await world.row(id)).revision);
      },
    });
    expect(deaths).toBeGreaterThan(8);
  });

  test('T26 a kill of a deletion leaves nothing here and there, and everything is free', async () => {
    const deaths = await everyMoment({
      before: (ctx) => world.upServer(ctx),
      command: (servers, ctx, id) =>
        servers
          .delete(ctx, id, 'Lanternwood')
          .catch((error: unknown) => (String(error).includes('NOT_FOUND') ? null : Promise.reject(error as Error))),
      after: async (ctx, id) => {
        expect(await world.row(id)).toMatchObject({ state: 'deleted', desired: 'nothing' });
        expect((await world.inPanel()).filter((server) => server.externalId === id)).toEqual([]);
        expect(await world.used(ctx)).toMatchObject({ slots: 0, memory: 0 });
      },
    });
    expect(deaths).toBeGreaterThan(6);
  });

  /** Capacity has the ports of the servers that are there, each once, and promises nothing for what is not. */
  async function expectBookAgrees(real: RealPanel): Promise<void> {
    const held = await world.db.sql<{ allocation: string; server_id: string }>(
      'SELECT allocation, server_id FROM node_allocations WHERE server_id IS NOT NULL ORDER BY allocation',
    );
    const there = [...real.servers.values()].flatMap((server) =>
      server.ports.map((allocation) => ({ allocation, server_id: server.externalId ?? '' })),
    );
    expect(held).toEqual(there.sort((a, b) => (a.allocation < b.allocation ? -1 : 1)));
    const promised = await world.db.sql<{ server_id: string }>('SELECT server_id FROM capacity_reservations');
    for (const { server_id: id } of promised)
      expect([...real.servers.values()].some((server) => server.externalId === id)).toBe(true);
  }
  const nodes = [{ id: 'a', ports: 400, memory: 1_000_000, disk: 1_000_000 }];

  test('T26 a kill of a creation at a real panel leaves one server, with the ports that the record says', async () => {
    const real = await world.addPanel({ nodes });
    const resources = { memory: 512, disk: 512, cpu: 50, ports: 2, databases: 0, backups: 0 };
    const deaths = await everyMoment(
      {
        command: (servers, ctx) => servers.create(ctx, world.serverInput({ locationId: real.location, resources })),
        after: async (ctx) => {
          const servers = await ofUser(ctx);
          expect(servers.map((server) => server.state)).toEqual(['active']);
          expect([...real.servers.values()].filter((server) => server.externalId === servers[0]?.id)).toMatchObject([
            { suspended: false },
          ]);
          expect(real.servers.size).toBe((await world.db.sql("SELECT id FROM servers WHERE state = 'active'")).length);
          expect(await world.used(ctx)).toMatchObject({ slots: 1, memory: 512, ports: 2 });
          await expectBookAgrees(real);
        },
      },
      real,
    );
    expect(deaths).toBeGreaterThan(20);
  });

  test('T26 a kill of a change at a real panel adds ports and memory once, and the record agrees', async () => {
    const real = await world.addPanel({ nodes });
    const resources = { memory: 1024, disk: 512, cpu: 50, ports: 3, databases: 0, backups: 0 };
    const deaths = await everyMoment(
      {
        before: (ctx) => world.upServer(ctx, { locationId: real.location }),
        command: (servers, ctx, id) => servers.update(ctx, id, { name: 'Renamed', description: '', resources }),
        after: async (_ctx, id) => {
          const there = [...real.servers.values()].find((server) => server.externalId === id);
          expect(there).toMatchObject({ name: 'Renamed', resources: { memory: 1024 } });
          expect(there?.ports).toHaveLength(3);
          await expectBookAgrees(real);
        },
      },
      real,
    );
    expect(deaths).toBeGreaterThan(8);
  });

  test('T26 a kill of a deletion at a real panel leaves nothing there, and nothing in the record', async () => {
    const real = await world.addPanel({ nodes });
    const deaths = await everyMoment(
      {
        before: (ctx) => world.upServer(ctx, { locationId: real.location }),
        command: (servers, ctx, id) =>
          servers
            .delete(ctx, id, 'Lanternwood')
            .catch((error: unknown) => (String(error).includes('NOT_FOUND') ? null : Promise.reject(error as Error))),
        after: async (_ctx, id) => {
          expect(await world.row(id)).toMatchObject({ state: 'deleted' });
          expect(real.servers.size).toBe(0);
          expect(await world.db.sql('SELECT allocation FROM node_allocations WHERE server_id IS NOT NULL')).toEqual([]);
          expect(await world.db.sql('SELECT server_id FROM capacity_reservations')).toEqual([]);
        },
      },
      real,
    );
    expect(deaths).toBeGreaterThan(6);
  });
});
