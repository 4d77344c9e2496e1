import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY, HOUR, iso, MINUTE } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

// Shows behaviour 3.9.

let world: ServersWorld;
beforeEach(async () => {
  world = await serversWorld();
});
afterEach(() => world.close());

/** Lets the product run on for some days, as it would by itself. */
const live = (days: number) => world.live(days * DAY, 4 * HOUR);
const state = async (id: string) => (await world.row(id)).state;

describe('T34 a ban', () => {
  test('T34 a ban takes everything out of use at once, and its end brings it back', async () => {
    const ctx = await world.person();
    const live1 = await world.upServer(ctx, { name: 'up' });
    const { id: queued } = await world.servers.create(ctx, world.serverInput({ name: 'queued' }));
    await world.setStatus(ctx, 'banned');
    await world.servers.syncWithOwnerStatus(ctx.actor.userId);
    expect(await world.row(live1)).toMatchObject({ state: 'suspended', suspendReason: 'ban' });
    expect(await world.row(queued)).toMatchObject({ state: 'failed', failure: 'banned' });
    await world.pass(MINUTE);
    expect(await world.inPanel()).toMatchObject([{ name: 'up', suspended: true }]);
    expect(
      await codeOf(world.servers.renew(ctx, live1, { price: 100, expiresAt: iso((await world.row(live1)).expiresMs) })),
    ).toBe('SERVER_SUSPENDED');
    await world.setStatus(ctx, 'active');
    await world.servers.syncWithOwnerStatus(ctx.actor.userId);
    await world.pass(MINUTE);
    expect(await world.row(live1)).toMatchObject({ state: 'active', suspendReason: null });
    expect(await world.inPanel()).toMatchObject([{ name: 'up', suspended: false }]);
  });

  test('T34 the end of a ban does not bring back what was being deleted meanwhile', async () => {
    const ctx = await world.person();
    const id = await world.upServer(ctx);
    await world.suspendForBan(ctx);
    await world.servers.delete(ctx, id, 'Lanternwood');
    await world.resumeAfterBan(ctx);
    expect(await world.row(id)).toMatchObject({ state: 'deleting', desired: 'deleted' });
    await world.pass(MINUTE);
    expect([await state(id), await world.inPanel()]).toEqual(['deleted', []]);
  });

  test('T34 the scheduler suspends where nobody notified the servers', async () => {
    const ctx = await world.person();
    const id = await world.upServer(ctx);
    await world.setStatus(ctx, 'banned');
    await world.live(2 * MINUTE, MINUTE);
    expect(await world.inPanel()).toMatchObject([{ suspended: true }]);
    await world.setStatus(ctx, 'active');
    await world.live(2 * MINUTE, MINUTE);
    expect(await state(id)).toBe('active');
    expect(await world.inPanel()).toMatchObject([{ suspended: false }]);
  });

  test('T34 every server is suspended in a transaction of its own, so that thousands keep nobody waiting', async () => {
    const ctx = await world.person();
    const made = [await world.upServer(ctx, { name: 'one' }), await world.upServer(ctx, { name: 'two' })];
    const [first = '', second = ''] = made.toSorted();
    await world.db.sql(
      `CREATE TRIGGER refused BEFORE UPDATE ON servers WHEN NEW.id = '${second}' BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    );
    await world.setStatus(ctx, 'banned');
    await expect(world.servers.syncWithOwnerStatus(ctx.actor.userId)).rejects.toThrow();
    expect([await state(first), await state(second)]).toEqual(['suspended', 'active']);
    await world.db.sql('DROP TRIGGER refused');
    await world.servers.syncWithOwnerStatus(ctx.actor.userId);
    expect(await state(second)).toBe('suspended');
  });

  test('T34 a server under construction ends suspended', async () => {
    const ctx = await world.person();
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.pass(3000);
    await world.setStatus(ctx, 'banned');
    await world.servers.syncWithOwnerStatus(ctx.actor.userId);
    await world.pass(MINUTE);
    expect(await world.row(id)).toMatchObject({ state: 'suspended', suspendReason: 'ban' });
    expect(await world.inPanel()).toMatchObject([{ suspended: true }]);
  });

  test('T34 nothing is paid and nothing is deleted while banned; afterwards there is notice and grace again', async () => {
    const ctx = await world.person({ credits: 99 });
    const id = await world.upServer(ctx, { autoRenew: true });
    await live(31);
    expect(await state(id)).toBe('suspended');
    await live(5.5);
    await world.setStatus(ctx, 'banned');
    await world.servers.syncWithOwnerStatus(ctx.actor.userId);
    await world.grant(ctx, 500);
    await live(60);
    expect(await state(id)).toBe('suspended');
    expect(await world.balance(ctx)).toBe(599);
    await world.servers.autoRenew(ctx, id, false);
    await world.setStatus(ctx, 'active');
    await world.servers.syncWithOwnerStatus(ctx.actor.userId);
    await live(6);
    expect(await state(id)).toBe('suspended');
    await live(2);
    expect(await state(id)).toBe('deleted');
  });
});
