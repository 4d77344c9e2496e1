import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { writeAudit } from '#server/modules/audit/index.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { ENGINES, proveLedger } from '#tests/support/db.ts';
import { openWorld, type World } from './world.ts';

// Shows behaviour 8.2.

describe.each(ENGINES)('the admin dashboard on %s', (engine) => {
  let world: World;
  // All of an installation is counted.
  beforeEach(async () => {
    world = await openWorld(engine, { settings: { app_timezone: 'Europe/Bucharest' } });
  });
  afterEach(() => world.close());
  const all = () => world.as('admin.root').adminOverview.get();

  test('an empty installation shows zeros, and everything still to do', async () => {
    const overview = await all();
    expect(overview).toMatchObject({
      users: 0,
      users_today: 0,
      servers: 0,
      servers_suspended: 0,
      queue: 0,
      circulation: 0,
      minted_today: 0,
      burnt_today: 0,
    });
    expect(await world.as('admin.root').adminOverview.activity()).toMatchObject({ entries: [] });
    expect(overview.setup.map(({ code, done }) => [code, done])).toEqual([
      ['location', false],
      ['category', false],
      ['egg', false],
    ]);
  });

  test('the overview counts users, servers and credits, and the day begins in the zone of the installation', async () => {
    // 12:00 UTC is 14:00 in Bucharest: the day began at 22:00 UTC the day before.
    world.clock.advance(-(16 * HOUR));
    await world.user('yesterday');
    world.clock.advance(3 * HOUR);
    await world.user('mirela');
    world.clock.advance(13 * HOUR);
    await world.user('luca');
    for (const state of ['active', 'queued', 'suspended', 'failed', 'deleted']) await world.server({ state });
    await world.db.uow.run(async (tx) => {
      const move = (
        id: string,
        source: `system:${'reward.redeem' | 'store'}` | 'user:u',
        destination: 'user:u' | 'system:store',
        amount: number,
        createdMs: number,
      ) =>
        tx.ledger.append({
          id,
          kind: 'test',
          reference: id,
          subject: null,
          actor: null,
          reason: null,
          reverses: null,
          createdMs,
          postings: [{ source, destination, amount: toCredits(amount) }],
        });
      await move('a', 'system:reward.redeem', 'user:u', 500, world.clock.now() - DAY);
      await move('b', 'system:reward.redeem', 'user:u', 70, world.clock.now());
      await move('c', 'user:u', 'system:store', 30, world.clock.now());
    });
    expect(await all()).toMatchObject({
      users: 3,
      users_today: 2,
      servers: 3,
      servers_suspended: 1,
      circulation: 540,
      minted_today: 70,
      burnt_today: 30,
    });
    const { trends } = await all();
    expect([trends?.users.length, trends?.users.slice(-3)]).toEqual([14, [0, 1, 3]]);
    // They were made before all of these days.
    expect(trends?.servers).toEqual(Array.from({ length: 14 }, () => 3));
    expect(trends?.circulation.slice(-3)).toEqual([0, 500, 540]);
    expect([trends?.minted.slice(-2), trends?.burnt.slice(-2)]).toEqual([
      [500, 70],
      [0, 30],
    ]);
    expect((await all()).period).toEqual({
      days: 1,
      now: { users: 2, minted: 70, burnt: 30 },
      before: { users: 1, minted: 500, burnt: 0 },
    });
    const days = async (wanted: '7' | '30') => world.as('admin.root').adminOverview.get({ query: { days: wanted } });
    expect((await days('7')).period).toEqual({
      days: 7,
      now: { users: 3, minted: 570, burnt: 30 },
      before: { users: 0, minted: 0, burnt: 0 },
    });
    world.clock.advance(10 * DAY);
    expect((await days('7')).period?.before).toEqual({ users: 3, minted: 570, burnt: 30 });
    const month = await days('30');
    expect([month.period?.now.minted, month.trends?.minted.length, month.trends?.circulation.at(-1)]).toEqual([
      570, 30, 540,
    ]);
    world.clock.advance(-10 * DAY);
    await proveLedger(world.db.uow);
  });

  test('each of staff chooses the parts of the overview and their order, each once, and has all of them back', async () => {
    await world.user('mirela');
    const api = world.as('admin.dashboard.view');
    const layout = async () => (await api.adminOverview.get()).layout;
    expect(await layout()).toBeNull();
    await api.adminOverview.setLayout({ body: { parts: ['queue', 'glance', 'queue'] } });
    expect(await layout()).toEqual(['queue', 'glance']);
    // What a later version no longer has is left out.
    await world.db.sql(`UPDATE overview_layouts SET layout = '["gone","glance"]' RETURNING user_id`);
    expect(await layout()).toEqual(['glance']);
    await api.adminOverview.setLayout({ body: { parts: [] } });
    expect(await layout()).toEqual([]);
    await api.adminOverview.setLayout({ body: { parts: null } });
    expect(await layout()).toBeNull();
    await expect(api.adminOverview.setLayout({ body: { parts: ['everything' as 'queue'] } })).rejects.toThrow(
      'VALIDATION_FAILED',
    );
    await expect(world.as('admin.users.list').adminOverview.setLayout({ body: { parts: [] } })).rejects.toThrow(
      'FORBIDDEN',
    );
  });

  test('the check list follows the catalogue, and activity names who did what to what', async () => {
    await world.user('mirela');
    const api = world.as('admin.root');
    await api.adminEggCategories.create({ body: { name: 'Java', description: '', enabled: true, position: 0 } });
    await world.db.uow.run((tx) =>
      writeAudit(tx, { clock: world.clock, ids: world.ids }, null, { action: 'account.login', target: 'somebody' }),
    );
    expect((await all()).setup.find(({ code }) => code === 'category')?.done).toBe(true);
    const { entries } = await world
      .as('admin.dashboard.components.activity.view', 'admin.nests.list')
      .adminOverview.activity();
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ actor: 'mirela', action: 'eggCategories.create', target: 'Java' });
  });

  test('a component is sent to those who may see it only', async () => {
    for (const username of ['mirela', 'luca', 'tobi']) await world.user(username);
    const bare = await world.as('admin.dashboard.view').adminOverview.get();
    expect(bare).toMatchObject({
      users: null,
      users_today: null,
      servers: null,
      servers_suspended: null,
      queue: null,
      circulation: null,
      minted_today: null,
      period: null,
      burnt_today: null,
    });
    expect(bare.setup).toHaveLength(3);
    const glance = await world
      .as('admin.dashboard.view', 'admin.dashboard.components.ataglanceanalytics.view')
      .adminOverview.get();
    expect(glance.users).toBe(3);
    await expect(world.as('admin.dashboard.view').adminOverview.activity()).rejects.toThrow('FORBIDDEN');
    await expect(world.as('admin.users.list').adminOverview.get()).rejects.toThrow('FORBIDDEN');
    await expect(world.as().adminOverview.get()).rejects.toThrow('UNAUTHENTICATED');
  });
});
