import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY, MINUTE } from '#shared/time.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

const SMALL = { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 };

describe.each(ENGINES)('what is done to servers at once, on %s', (engine) => {
  let world: ServersWorld;
  beforeEach(async () => {
    world = await serversWorld(engine);
  });
  afterEach(() => world.close());

  test('T21 fifty creations at once for one slot make one server', async () => {
    const ctx = await world.person({ limits: { slots: 1 } });
    expect(await atOnce(50, () => world.servers.create(ctx, world.serverInput()))).toEqual({
      ok: 1,
      NOT_ENOUGH_SLOTS: 49,
    });
    await world.pass(60_000);
    expect(await world.inPanel()).toHaveLength(1);
  });

  test('T21 fifty users at once for the last two slots of a location make two servers', async () => {
    const locationId = await world.addLocation({ slots: 2 });
    const people = await Promise.all(Array.from({ length: 50 }, () => world.person()));
    const calls = people.map((person) => () => world.servers.create(person, world.serverInput({ locationId })));
    const tally = await atOnce(50, (at) => calls[at]?.() ?? Promise.reject(new Error('nobody')));
    expect(tally).toEqual({ ok: 2, LOCATION_FULL: 48 });
  });

  test('T21 creation and update at once do not pass the limit together', async () => {
    const ctx = await world.person({ limits: { memory: 1536 } });
    const id = await world.upServer(ctx);
    const calls = [
      () => world.servers.create(ctx, world.serverInput({ resources: { ...SMALL, memory: 1024 } })),
      () =>
        world.servers.update(ctx, id, { name: 'Lanternwood', description: '', resources: { ...SMALL, memory: 1536 } }),
    ];
    expect(await atOnce(20, (at) => calls[at % 2]?.() ?? Promise.resolve())).toMatchObject({
      NOT_ENOUGH_MEMORY: expect.any(Number),
    });
    expect((await world.used(ctx)).memory).toBeLessThanOrEqual(1536);
  });

  test('an entry cancelled and claimed at once is either, never both', async () => {
    const ctx = await world.person();
    for (let round = 0; round < 10; round += 1) {
      const { id } = await world.servers.create(ctx, world.serverInput());
      const [cancelled] = await Promise.all([codeOf(world.servers.cancel(ctx, id)), world.buildStep()]);
      await world.pass(MINUTE);
      expect((await world.row(id)).state).toBe(cancelled === null ? 'deleted' : 'active');
    }
    expect((await world.used(ctx)).slots).toBe((await world.inPanel()).length);
  });

  test('T21 many workers at once build each server once', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => world.person()));
    for (const person of people) await world.servers.create(person, world.serverInput());
    const runners = Array.from({ length: 5 }, () => world.makeRunner());
    for (let at = 0; at < 60; at += 1) {
      await Promise.all(runners.map((runner) => runner.runDue()));
      world.clock.advance(2000);
    }
    expect(await world.inPanel()).toHaveLength(12);
    expect(world.panel.calls.filter((call) => call === 'createServer')).toHaveLength(12);
  });

  test('T12 the tick twice, and two schedulers at once, do everything once', async () => {
    const ctx = await world.person({ credits: 1000 });
    const id = await world.upServer(ctx, { autoRenew: true });
    const expires = (await world.row(id)).expiresMs ?? 0;
    const all = (kinds: readonly string[], kind: string) => kinds.filter((each) => each === kind).length;
    const both = async () => {
      for (let round = 0; round < 3; round += 1)
        await Promise.all([world.servers.processExpiry(), world.servers.processExpiry(), world.scheduler.tick()]);
    };
    for (const before of [7, 3, 1]) {
      world.clock.set(expires - before * DAY);
      await both();
    }
    expect(all(await world.notices(ctx), 'renewReminder')).toBe(3);
    world.clock.set(expires);
    await both();
    expect(await world.balance(ctx)).toBe(900);
    await world.servers.autoRenew(ctx, id, false);
    for (const days of [30, 31, 37, 37.5, 38]) {
      expect((await world.row(id)).state).toBe(days <= 31 ? 'active' : 'suspended');
      world.clock.set(expires + days * DAY);
      await both();
      await world.runner.runDue();
    }
    expect((await world.row(id)).state).toBe('deleted');
    const kinds = await world.notices(ctx);
    expect(['serverSuspended', 'serverDeleteWarning', 'serverDeleted'].map((kind) => all(kinds, kind))).toEqual([
      1, 1, 1,
    ]);
  });
});
