import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

type TestPanel = Awaited<ReturnType<ServersWorld['addPanel']>>;
let world: ServersWorld;
let panel: TestPanel;
beforeEach(async () => {
  world = await serversWorld();
  panel = await world.addPanel({ nodes: [{ id: 'a', ports: 8 }] });
});
afterEach(() => world.close());

const STEP = 6 * HOUR;
interface Kept {
  readonly ctx: SignedIn;
  readonly id: string;
}
async function kept(credits: number, autoRenew: boolean): Promise<Kept> {
  const ctx = await world.person({ credits });
  return { ctx, id: await world.upServer(ctx, { locationId: panel.location, autoRenew }) };
}
const there = (id: string) => [...panel.servers.values()].find((server) => server.externalId === id);

/** Days pass as they do: jobs, scheduler and reconciler. After each step what must never be is looked for. */
async function live(days: number, servers: readonly Kept[]): Promise<void> {
  const end = world.clock.now() + days * DAY;
  while (world.clock.now() < end) {
    const before = await Promise.all(servers.map(({ id }) => world.row(id)));
    await world.live(Math.min(STEP, end - world.clock.now()), STEP);
    for (const [at, { id }] of servers.entries()) {
      const row = await world.row(id);
      const was = before[at];
      // Suspended only after its end, and deleted only when the panel has let it go.
      if (row.state === 'suspended' && was?.state === 'active')
        expect(was.expiresMs ?? Infinity).toBeLessThanOrEqual(world.clock.now());
      if (row.state === 'deleted') expect(there(id)).toBeUndefined();
      if (row.periods !== was?.periods) expect(row.expiresMs).toBeGreaterThanOrEqual((was?.expiresMs ?? 0) + 30 * DAY);
    }
  }
}

describe('T12 over months, while things are down', () => {
  test('T12 a panel that is down at every end of a period is paid once a period, never suspended, in step afterwards', async () => {
    const one = await kept(600, true);
    for (let month = 0; month < 5; month += 1) {
      await live(28, [one]);
      panel.panel.fail('unavailable', undefined, 100_000);
      await live(4, [one]);
      panel.panel.heal();
      expect(await world.row(one.id)).toMatchObject({ state: 'active', periods: month + 1 });
    }
    // 160 days: five ends of 30 days each.
    expect(await world.balance(one.ctx)).toBe(100);
    await live(1, [one]);
    expect(there(one.id)).toMatchObject({ suspended: false });
    expect(await world.servers.reconcile()).toMatchObject({ complete: true, repaired: [], suspects: [] });
  });

  test('T12 a panel down beyond the grace period has its servers suspended and deleted only when it is back', async () => {
    const one = await kept(0, false);
    await live(29, [one]);
    panel.panel.fail('unavailable', undefined, 1_000_000);
    await live(20, [one]);
    expect(await world.row(one.id)).toMatchObject({ state: 'deleting', desired: 'deleted' });
    expect(there(one.id)).toMatchObject({ suspended: false });
    expect(await world.used(one.ctx)).toMatchObject({ slots: 1 });
    panel.panel.heal();
    await live(1, [one]);
    expect([(await world.row(one.id)).state, panel.servers.size]).toEqual(['deleted', 0]);
  });

  test('T12 a suspended server paid while the panel is down is back as soon as the panel is, charged once', async () => {
    const one = await kept(0, true);
    await live(31, [one]);
    expect(there(one.id)?.suspended).toBe(true);
    panel.panel.fail('unavailable', undefined, 1_000_000);
    await world.grant(one.ctx, 250);
    await live(2, [one]);
    expect([(await world.row(one.id)).state, await world.balance(one.ctx)]).toEqual(['active', 150]);
    expect(there(one.id)?.suspended).toBe(true);
    panel.panel.heal();
    await live(1, [one]);
    expect([there(one.id)?.suspended, await world.balance(one.ctx)]).toEqual([false, 150]);
  });

  test('T12 a week in which we are down over the end of a period, several times, is nobody’s to pay', async () => {
    const one = await kept(1000, true);
    for (let month = 0; month < 4; month += 1) {
      const { expiresMs } = await world.row(one.id);
      await live(28, [one]);
      world.clock.set((expiresMs ?? 0) + 7 * DAY);
      await live(0.5, [one]);
      const row = await world.row(one.id);
      expect(row.periods).toBe(month + 1);
      // A full period from our return on, not from the end we slept through.
      expect((row.expiresMs ?? 0) - (expiresMs ?? 0)).toBeGreaterThanOrEqual(37 * DAY);
    }
    expect(await world.balance(one.ctx)).toBe(600);
  });

  test('T12 a clock that goes back and forth through half a year pays nothing twice, suspends nothing early, sends nothing twice', async () => {
    const [payer, other] = [await kept(1000, true), await kept(0, false)];
    for (const [days, jump] of [
      [14, -1],
      [15, 0.5],
      [20, -2],
      [13, 1],
      [30, -0.5],
      [29, -1],
      [34, 0],
    ] as const) {
      await live(days, [payer, other]);
      world.clock.advance(jump * DAY);
    }
    const row = await world.row(payer.id);
    expect(row.state).toBe('active');
    expect(await world.balance(payer.ctx)).toBe(1000 - 100 * row.periods);
    // 152 days by the clock: five ends of 30 days each.
    expect(row.periods).toBe(5);
    expect((await world.row(other.id)).state).toBe('deleted');
    const kinds = await world.notices(other.ctx);
    expect(kinds.filter((kind) => kind === 'serverSuspended')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'serverDeleted')).toHaveLength(1);
    expect(new Set((await world.notices(payer.ctx)).filter((kind) => kind !== 'serverReady'))).toEqual(
      new Set(['renewReminder', 'serverRenewed']),
    );
  });
});

describe('T26 a panel that suddenly knows almost nothing', () => {
  test('T26 a panel restored from an old copy makes no ghosts of everybody: staff see them, nothing fails', async () => {
    await world.db.sql('DELETE FROM waiting_list');
    const ctx = await world.person({ limits: { slots: 20, ports: 20 } });
    for (let n = 0; n < 8; n += 1) await world.upServer(ctx, { locationId: panel.location });
    world.clock.advance(DAY);
    const [kept1] = [...panel.servers.values()];
    const copy = new Map(panel.servers);
    panel.servers.clear();
    if (kept1) panel.servers.set(kept1.id, kept1);
    expect(await world.servers.reconcile()).toMatchObject({ complete: true, repaired: [] });
    await world.pass(HOUR);
    expect(await world.db.sql("SELECT id FROM servers WHERE state <> 'active'")).toEqual([]);
    expect(await world.db.sql("SELECT ref FROM panel_drift WHERE kind = 'ghost'")).toHaveLength(7);
    expect(world.log.events()).toContain('servers.many_ghosts');
    for (const [id, server] of copy) panel.servers.set(id, server);
    await world.servers.reconcile();
    expect(await world.db.sql('SELECT ref FROM panel_drift')).toEqual([]);
  });
});
