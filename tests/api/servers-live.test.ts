import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { presentUsage } from '#server/api/present-servers.ts';
import { LIVE } from '#server/modules/servers/live/cache.ts';
import { PLAYERS } from '#server/modules/servers/live/players.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { iso, MINUTE, SECOND } from '#shared/time.ts';
import { call } from '#tests/support/call.ts';
import { codeOf } from '#tests/support/coins.ts';
import { openHarness } from '#tests/support/harness.ts';
import { IDLE, liveServerWorld } from '#tests/support/live-panel.ts';
import type { ServersWorld } from '#tests/support/servers.ts';

let world: ServersWorld;
let ctx: SignedIn;
let site: Awaited<ReturnType<typeof liveServerWorld>>['site'];
let live: Awaited<ReturnType<typeof liveServerWorld>>['live'];
let id: string;
beforeEach(async () => {
  ({ world, ctx, site, live, id } = await liveServerWorld());
});
afterEach(() => world.close());

const usage = async (who = ctx, what = id) => presentUsage(await world.servers.usage(who, what));
const power = (signal: 'start' | 'stop' | 'restart', who = ctx, what = id) =>
  codeOf(world.servers.power(who, what, signal));
const identifier = async () => (await world.row(id)).panelIdentifier ?? '';
const activity = async () => (await world.servers.get(ctx, id)).activity.map((each) => each.code);

describe('what a server uses right now', () => {
  test('usage comes by its name at its panel: bytes, percent, seconds, and since when that is known', async () => {
    expect(await usage()).toEqual({
      problem: null,
      at: iso(world.clock.now()),
      usage: {
        power: 'running',
        memory: 536_870_912,
        cpu: 12.3,
        disk: 1_073_741_824,
        network: null,
        uptime_s: 61,
        halt: null,
        players: null,
      },
      delay_s: 20,
    });
    expect(live.asked).toEqual([await identifier()]);
  });

  test('usage is remembered for as long as the panel itself does, so that asking often costs nothing', async () => {
    for (let at = 0; at < 10; at += 1) {
      await usage();
      world.clock.advance(LIVE.keepMs / 10);
    }
    expect(live.asked).toHaveLength(1);
    await usage();
    expect(live.asked).toHaveLength(2);
  });

  test('who plays on it comes with its usage, from a game that is asked so, while it runs', async () => {
    const { address } = await world.row(id);
    world.players.set(`minecraft ${address}`, { online: 3, max: 20, names: ['Mirela'] });
    const playing = async () => (await usage()).usage?.players;
    // Nobody waits for the game: it is asked beside the answer.
    const known = async () => {
      await playing();
      await Bun.sleep(0);
      world.clock.advance(PLAYERS.everyMs);
      await playing();
      await Bun.sleep(20);
      return playing();
    };
    await world.db.sql("UPDATE eggs SET name = 'Terraria'", []);
    expect(await known()).toBeNull();
    await world.db.sql("UPDATE eggs SET name = 'Paper'", []);
    expect(await known()).toEqual({ online: 3, max: 20, names: ['Mirela'] });
    live.state.usage = { outcome: 'ok', value: { ...IDLE, power: 'stopping' } };
    world.clock.advance(LIVE.keepMs);
    expect(await playing()).toBeNull();
    live.state.usage = { outcome: 'unavailable' };
    world.clock.advance(LIVE.keepMs);
    expect((await usage()).usage?.players).toBeNull();
  });

  test('a game that answers at a port of its own is asked there, but never at one that is not the server’s', async () => {
    const { address } = await world.row(id);
    const host = address?.slice(0, address.lastIndexOf(':')) ?? '';
    const all = await world.db.sql<{ allocation: string; port: number }>(
      'SELECT allocation, port FROM node_allocations WHERE server_id IS NULL ORDER BY port',
      [],
    );
    const [own, others] = [all[0] ?? { allocation: '', port: 0 }, all[1]?.port];
    await world.db.sql('UPDATE node_allocations SET server_id = ? WHERE allocation = ?', [id, own.allocation]);
    const at = (port: number | undefined, online: number) =>
      world.players.set(`source ${host}:${port}`, { online, max: 50, names: [] });
    at(own.port, 7);
    at(others, 50);
    world.players.set(`source ${address}`, { online: 1, max: 50, names: [] });
    const variable = { env: 'QUERY_PORT', name: 'Query port', description: '', default_value: '27015', rules: '' };
    await world.db.sql("UPDATE eggs SET name = 'Rust', variables = ?", [
      JSON.stringify([{ ...variable, user_editable: true, user_viewable: true }]),
    ]);
    /** Sets the variable, and waits until so many are told: nobody waits for the game, so it comes with a later poll. */
    async function isCounted(port: number | undefined, wanted: number): Promise<void> {
      const values = JSON.stringify({ QUERY_PORT: String(port) });
      await world.db.sql('UPDATE servers SET variables = ? WHERE id = ?', [values, id]);
      world.clock.advance(PLAYERS.everyMs);
      let online: number | undefined;
      for (let polls = 0; polls < 500 && online !== wanted; polls += 1) {
        online = (await usage()).usage?.players?.online;
        await Bun.sleep(2);
      }
      expect(online).toBe(wanted);
    }
    await isCounted(own.port, 7);
    await isCounted(others, 1);
    // Minecraft's query at such a port is another protocol: it is asked at its address.
    await world.db.sql("UPDATE eggs SET name = 'Paper'", []);
    world.players.set(`minecraft ${address}`, { online: 3, max: 20, names: [] });
    await isCounted(own.port, 3);
  });

  test('fifty who ask at once share one call', async () => {
    let open: () => void = () => {};
    live.state.gate = new Promise((resolve) => (open = resolve));
    const all = Promise.all(Array.from({ length: 50 }, () => usage()));
    await new Promise((resolve) => setImmediate(resolve));
    open();
    const answers = await all;
    expect(new Set(answers.map((each) => each.usage?.memory))).toEqual(new Set([536_870_912]));
    expect(live.asked).toHaveLength(1);
  });

  test('no page waits for a panel that hangs', async () => {
    let open: () => void = () => {};
    live.state.gate = new Promise((resolve) => (open = resolve));
    const hanging = usage();
    expect((await world.servers.get(ctx, id)).server.state).toBe('active');
    expect((await world.servers.list(ctx)).servers).toHaveLength(1);
    expect((await world.uow.read((tx) => world.servers.overview(tx, ctx.actor.userId))).servers).toHaveLength(1);
    open();
    expect((await hanging).problem).toBeNull();
  });

  test('a panel that falls silent leaves the last numbers for two minutes, and is left alone for a while', async () => {
    const { at } = await usage();
    live.state.usage = { outcome: 'unavailable' };
    world.clock.advance(LIVE.keepMs);
    expect(await usage()).toMatchObject({ problem: 'unreachable', at, usage: { power: 'running' } });
    expect(await usage()).toMatchObject({ problem: 'unreachable', at });
    expect(live.asked).toHaveLength(2);
    world.clock.advance(LIVE.silentMs);
    await usage();
    expect(live.asked).toHaveLength(3);
    world.clock.advance(2 * MINUTE);
    live.state.usage = { outcome: 'unknown' };
    expect(await usage()).toEqual({ problem: 'unreachable', at: null, usage: null, delay_s: 20 });
    live.state.usage = { outcome: 'ok', value: IDLE };
    world.clock.advance(LIVE.silentMs);
    expect((await usage()).problem).toBeNull();
  });

  for (const [answer, problem] of [
    [{ outcome: 'refused', reason: 'no_client_key' }, 'noKey'],
    [{ outcome: 'refused', reason: 'busy' }, 'busy'],
    [{ outcome: 'conflict' }, 'busy'],
    [{ outcome: 'refused', reason: 'key' }, 'refused'],
    [{ outcome: 'not_found' }, 'refused'],
    [{ outcome: 'unavailable' }, 'unreachable'],
    [{ outcome: 'unknown' }, 'unreachable'],
  ] as const) {
    test(`${JSON.stringify(answer)} is reported as ${problem}`, async () => {
      live.state.usage = answer;
      expect(await usage()).toEqual({ problem, at: null, usage: null, delay_s: 20 });
    });
  }

  test('a panel that was disabled is one that does not answer', async () => {
    site.remove();
    expect(await usage()).toMatchObject({ problem: 'unreachable' });
    expect(await power('start')).toBe('PANEL_UNREACHABLE');
    site.restore();
  });

  test('nobody is asked of a server that is not there yet, is suspended, or is at the built-in panel', async () => {
    const { id: fresh } = await world.servers.create(ctx, world.serverInput({ locationId: site.location }));
    const { id: built } = await world.servers.create(ctx, world.serverInput());
    expect((await usage(ctx, fresh)).problem).toBe('notReady');
    expect((await usage(ctx, built)).problem).toBe('embedded');
    expect(await power('start', ctx, fresh)).toBe('SERVER_NOT_READY');
    expect(await power('start', ctx, built)).toBe('NO_GAME_PROCESS');
    await world.db.sql(
      "UPDATE servers SET state = 'suspended', suspend_reason = 'expired', desired = 'suspended' WHERE id = ?",
      [id],
    );
    expect((await usage()).problem).toBe('suspended');
    expect([live.asked, live.sent]).toEqual([[], []]);
  });

  test('the primary port of a server at a panel is chosen there', async () => {
    const [address = ''] = (await world.servers.get(ctx, id)).ports;
    const port = Number(address.split(':').at(-1));
    expect(await codeOf(world.servers.setPrimaryPort(ctx, id, port))).toBe('PRIMARY_PORT_UNAVAILABLE');
    const { id: fresh } = await world.servers.create(ctx, world.serverInput({ locationId: site.location }));
    expect(await codeOf(world.servers.setPrimaryPort(ctx, fresh, port))).toBe('SERVER_NOT_READY');
    expect(await codeOf(world.servers.setPrimaryPort(await world.person(), id, port))).toBe('NOT_FOUND');
  });
});

describe('power', () => {
  test('a signal goes to the panel, and is noted for the owner and in the audit', async () => {
    expect(await power('stop')).toBeNull();
    expect(await power('start')).toBeNull();
    expect(await power('restart')).toBeNull();
    const name = await identifier();
    expect(live.sent).toEqual([
      [name, 'stop'],
      [name, 'start'],
      [name, 'restart'],
    ]);
    expect((await activity()).filter((code) => code.startsWith('power')).sort()).toEqual([
      'powerRestart',
      'powerStart',
      'powerStop',
    ]);
    const rows = await world.db.sql<{ actor_id: string; target: string }>(
      "SELECT actor_id, target FROM audit WHERE action = 'servers.power'",
    );
    expect(rows).toEqual(Array.from({ length: 3 }, () => ({ actor_id: ctx.actor.userId, target: id })));
  });

  test('the panel is asked more often after a signal, for a while', async () => {
    await usage();
    await power('stop');
    world.clock.advance(LIVE.activeKeepMs);
    await usage();
    expect(live.asked).toHaveLength(2);
    world.clock.advance(LIVE.activeMs);
    await usage();
    world.clock.advance(LIVE.activeKeepMs);
    await usage();
    expect(live.asked).toHaveLength(3);
  });

  test('a signal nobody answered may have been carried out, and it is noted and shown', async () => {
    live.state.power = { outcome: 'unknown' };
    expect(await power('stop')).toBe('PANEL_UNREACHABLE');
    expect(await activity()).toContain('powerStop');
    live.state.power = { outcome: 'unavailable' };
    expect(await power('start')).toBe('PANEL_UNREACHABLE');
    expect(await activity()).not.toContain('powerStart');
  });

  for (const [answer, code] of [
    [{ outcome: 'refused', reason: 'no_client_key' }, 'POWER_UNAVAILABLE'],
    [{ outcome: 'refused', reason: 'busy' }, 'SERVER_BUSY'],
    [{ outcome: 'refused', reason: 'key' }, 'POWER_UNAVAILABLE'],
    [{ outcome: 'not_found' }, 'POWER_UNAVAILABLE'],
  ] as const) {
    test(`${JSON.stringify(answer)} is answered as ${code}`, async () => {
      live.state.power = answer;
      expect(await power('start')).toBe(code);
    });
  }

  test('T24 somebody else’s server answers like a missing one, and its panel is not asked', async () => {
    const bob = await world.person();
    const missing = world.ids.uuid();
    for (const what of [id, missing]) {
      expect(await codeOf(usage(bob, what))).toBe('NOT_FOUND');
      expect(await power('stop', bob, what)).toBe('NOT_FOUND');
    }
    expect([live.asked, live.sent]).toEqual([[], []]);
  });

  test('T27 a suspended server is not started, even where the panel has not heard of its suspension', async () => {
    site.panel.fail('unavailable', 'suspend', 100);
    await world.db.sql('UPDATE servers SET expires_ms = ? WHERE id = ?', [world.clock.now() - SECOND, id]);
    await world.setStatus(ctx, 'banned');
    await world.servers.syncWithOwnerStatus(ctx.actor.userId);
    await world.pass(MINUTE);
    expect((await world.row(id)).state).toBe('suspended');
    for (const signal of ['start', 'restart'] as const) expect(await power(signal)).toBe('SERVER_SUSPENDED');
    expect(live.sent).toEqual([]);
    site.panel.heal();
  });
});

test('the page knows the way into the panel, and the ports it has', async () => {
  const page = await world.servers.get(ctx, id);
  expect(page.links).toEqual({
    server: `https://panel.example.test/server/${await identifier()}`,
    password: 'https://panel.example.test/auth/password',
  });
  expect(page.ports).toHaveLength(1);
  expect(page.panel).toBe('pterodactyl');
  const { id: built } = await world.servers.create(ctx, world.serverInput());
  expect(await world.servers.get(ctx, built)).toMatchObject({ links: null, ports: [], panel: 'embedded' });
});

test('power over HTTP has its answers: one’s own, somebody else’s, a guest’s, and too often', async () => {
  const harness = await openHarness({ sample: true });
  try {
    const ada = await harness.person('ada', { credits: 500 });
    const bob = await harness.person('bob');
    await harness.db.sql('UPDATE user_limits SET memory = 16384, disk = 40960, cpu = 800, slots = 3, ports = 6');
    const { locations, categories } = await ada.api.servers.options();
    const category = categories.find((each) => each.eggs.some((egg) => egg.available));
    const egg = category?.eggs.find((each) => each.available);
    const made = await ada.api.servers.create({
      body: {
        name: 'Lanternwood',
        description: '',
        location_id: locations.find((each) => each.available)?.id ?? '',
        category_id: category?.id ?? '',
        egg_id: egg?.id ?? '',
        memory: Math.max(1024, egg?.min_memory ?? 0),
        disk: Math.max(1024, egg?.min_disk ?? 0),
        cpu: Math.max(100, egg?.min_cpu ?? 0),
        ports: 1,
        databases: 0,
        backups: 0,
        variables: {},
        auto_renew: false,
      },
    });
    const path = `/api/servers/${made.id}`;
    expect(await call(harness, ada, 'GET', `${path}/usage`)).toMatchObject({
      status: 200,
      json: { problem: 'embedded', usage: null, delay_s: 20 },
    });
    expect(await call(harness, bob, 'GET', `${path}/usage`)).toMatchObject({
      status: 404,
      json: { error_code: 'NOT_FOUND' },
    });
    expect(await call(harness, bob, 'POST', `${path}/power`, { signal: 'stop' })).toMatchObject({
      status: 404,
      json: { error_code: 'NOT_FOUND' },
    });
    for (const signal of ['end', '', null, ['stop']])
      expect(await call(harness, ada, 'POST', `${path}/power`, { signal })).toMatchObject({ status: 422 });
    expect((await harness.http(`${path}/usage`)).status).toBe(401);
    const codes: unknown[] = [];
    for (let at = 0; at < 25; at += 1)
      codes.push((await call(harness, ada, 'POST', `${path}/power`, { signal: 'stop' })).json.error_code);
    expect([...new Set(codes)]).toEqual(['NO_GAME_PROCESS', 'RATE_LIMITED']);
    expect(codes.filter((code) => code === 'NO_GAME_PROCESS').length).toBeLessThanOrEqual(20);
  } finally {
    await harness.close();
  }
});
