import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createSearchRepo } from '#server/data/repos/search.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { Permission } from '#shared/permissions.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { HOUR } from '#shared/time.ts';
import { openBrowser } from '#tests/support/browser.ts';
import { ENGINES } from '#tests/support/db.ts';
import type { Person } from '#tests/support/harness.ts';
import { openPayWorld, type PayWorld } from '#tests/support/payments.ts';
import { plansOf } from '#tests/support/plans.ts';

// Shows behaviour 8.2: the search of staff.

setDefaultTimeout(300_000);
const DISCORD = '223456789012345678';

describe.each(ENGINES)('the search of staff (%s)', (engine) => {
  let world: PayWorld;
  let root: Person;
  let skyhold: string;
  let entry: string;
  const sql = (text: string, params: readonly (string | number | null)[] = []) => world.harness.db.sql(text, params);
  const find = (q: string, person = root) => person.api.adminSearch.find({ query: { q } });
  /** What the first match of each list is called, without the empty lists. */
  const names = async (q: string, person = root): Promise<Record<string, string>> => {
    const { users, servers, orders, codes, queue } = await find(q, person);
    const first = {
      users: users[0]?.username,
      servers: servers[0]?.name,
      orders: orders[0]?.id,
      codes: codes[0]?.code,
      queue: queue[0]?.server,
    };
    return Object.fromEntries(Object.entries(first).filter((each): each is [string, string] => each[1] !== undefined));
  };
  async function addServer(name: string, address: string, state = 'active'): Promise<string> {
    const id = crypto.randomUUID();
    await sql(
      `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
       revision, synced_revision, auto_renew, auto_renew_order, periods, address, created_ms, updated_ms)
       VALUES (?, ?, ?, '', '', '', '', 256, 256, 5, 1, 0, 0, '{}', ?, 'running', 1, 1, 0, 0, 0, ?, 0, 0) RETURNING id`,
      [id, world.ann.id, name, state, address],
    );
    return id;
  }
  beforeAll(async () => {
    world = await openPayWorld(engine);
    root = await world.harness.person('olga', { permissions: ['admin.root'] });
    skyhold = await addServer('Skyhold SMP', '198.51.100.7:25588');
    const voice = await addServer('Voice', '[2001:db8::1]:9987', 'failed');
    entry = crypto.randomUUID();
    await sql(
      "INSERT INTO server_queue (id, server_id, user_id, state, priority, attempts, created_ms) VALUES (?, ?, ?, 'failed', 0, 3, 0) RETURNING id",
      [entry, voice, world.ann.id],
    );
    await sql(
      "INSERT INTO linked_identities (id, user_id, provider, subject, name, scopes, version, refreshing_until_ms, linked_ms, updated_ms) VALUES ('l', ?, 'discord', ?, 'ann', '', 1, 0, 0, 0) RETURNING id",
      [world.ann.id, DISCORD],
    );
    await sql('UPDATE sessions SET address = ? WHERE user_id = ? RETURNING id', ['192.0.2.44', world.ann.id]);
    await sql('INSERT INTO support_pins (user_id, pin, created_ms, expires_ms) VALUES (?, ?, 0, ?) RETURNING pin', [
      world.ann.id,
      '482913',
      world.harness.clock.now() + HOUR,
    ]);
    await root.api.adminRedeemCodes.create({
      body: {
        code: 'SUMMER-2026',
        note: '',
        credits: 5,
        uses_total: 1,
        min_age_days: 0,
        starts_at: null,
        ends_at: null,
        enabled: true,
      },
    });
  }, 300_000);
  afterAll(() => world.close(), 60_000);

  test('users are found by name, address, id, Discord id, support PIN and IP address', async () => {
    for (const q of ['an', 'ANN', 'ann@', world.ann.id, DISCORD, '482 913', '192.0.2.44'])
      expect([q, (await names(q)).users]).toEqual([q, 'ann']);
    expect((await find('ann')).users).toEqual([
      { id: world.ann.id, username: 'ann', email: 'ann@example.com', status: 'active' },
    ]);
    world.harness.clock.advance(2 * HOUR);
    expect((await names('482 913')).users).toBeUndefined();
  });

  test('users are found by an IP address that they were seen at, also when no session has it any more', async () => {
    const { harness } = world;
    const tobi = await harness.person('tobi');
    for (const address of ['198.51.100.88', '2001:db8:5::7']) {
      const browser = openBrowser(harness, address);
      browser.cookies.set(SESSION_COOKIE, tobi.secret);
      await browser.send('DELETE', '/api/account/sessions');
    }
    await sql('DELETE FROM sessions WHERE user_id = ? RETURNING id', [tobi.id]);
    // Of an IPv6 address its network was kept.
    for (const q of ['198.51.100.88', ' 198.51.100.88', '2001:DB8:5::7', '2001:db8:5::9']) {
      expect([q, (await names(q)).users]).toEqual([q, 'tobi']);
      const { rows } = await root.api.adminUsers.list({ query: { q } });
      expect([q, rows.map(({ username }) => username)]).toEqual([q, ['tobi']]);
    }
    expect((await names('198.51.100.8')).users).toBeUndefined();
    const helper = await harness.person('helga', { permissions: ['admin.users.list'] });
    expect((await helper.api.adminUsers.list({ query: { q: '198.51.100.88' } })).rows).toEqual([]);
  });

  test('servers are found by name, id, address and port, and queue entries by theirs', async () => {
    for (const q of ['sky', 'Skyhold SMP', skyhold, '198.51.100.7', '198.51.100.7:25588', '25588', ':25588'])
      expect([q, (await names(q)).servers]).toEqual([q, 'Skyhold SMP']);
    expect((await names('9987')).servers).toBe('Voice');
    expect((await names('2558')).servers).toBeUndefined();
    expect(await names('voi')).toEqual({ servers: 'Voice', queue: 'Voice' });
    expect((await names(entry)).queue).toBe('Voice');
    expect(await names('sky')).not.toHaveProperty('queue');
  });

  test('orders are found by id, code and what the gateway calls them, and codes by their beginning', async () => {
    const id = await world.order('stripe');
    const [row] = await sql('SELECT code, ref FROM payment_orders WHERE id = ?', [id]);
    const code = String(row?.code);
    for (const q of [id, code, `${code.slice(0, 4)}-${code.slice(4)}`, String(row?.ref)])
      expect([q, (await names(q)).orders]).toEqual([q, id]);
    for (const q of ['summer', 'SUMMER-2026', 'sum mer']) expect((await names(q)).codes).toBe('SUMMER-2026');
    expect((await names('su')).codes).toBeUndefined();
  });

  test('words in front that say what is to be done do not hide what is looked for', async () => {
    expect((await names('suspend Skyhold SMP')).servers).toBe('Skyhold SMP');
    expect((await names('give credits to ann')).users).toBe('ann');
    expect(await names('nothing of the kind is here at all')).toEqual({});
    // The whole is looked for first.
    const whole = [await addServer('ann', '203.0.113.9:25599'), await addServer('give ann', '203.0.113.9:25600')];
    expect(await names('give ann')).toEqual({ servers: 'give ann' });
    for (const id of whole) await sql('DELETE FROM servers WHERE id = ? RETURNING id', [id]);
  });

  test('T59 rights decide what is found, and a player finds nothing', async () => {
    const staff = (name: string, ...permissions: Permission[]) =>
      world.harness.person(name, { permissions: ['admin.dashboard.view', ...permissions] });
    const bare = await staff('bare');
    for (const q of ['ann', 'sky', '192.0.2.44', DISCORD, 'summer', entry]) expect(await names(q, bare)).toEqual({});
    const lister = await staff('lister', 'admin.users.list');
    expect(await names('ann', lister)).toEqual({ users: 'ann' });
    // From where somebody comes is shown to those who may edit users.
    expect(await names('192.0.2.44', lister)).toEqual({});
    expect(await names('sky', await staff('hoster', 'admin.servers.list'))).toEqual({ servers: 'Skyhold SMP' });
    const refused = await find('ann', world.ann).catch((error: unknown) => error);
    expect(refused instanceof ApiError && refused.code).toBe('FORBIDDEN');
    const short = await find('a').catch((error: unknown) => error);
    expect(short instanceof ApiError && short.code).toBe('VALIDATION_FAILED');
  });

  test('what was deleted is not found, and hostile texts find nothing', async () => {
    const gone = await addServer('Gonehold', '198.51.100.8:25589');
    expect(await names('gone')).toEqual({ servers: 'Gonehold' });
    await sql("UPDATE servers SET deleted_ms = 1, state = 'deleted' WHERE id = ? RETURNING id", [gone]);
    expect(await names('gone')).toEqual({});
    for (const q of ["' OR 1=1 --", '%%', '__', '\u{10FFFF}\u{10FFFF}', ':::::', '99999999999999999999'])
      expect([q, await names(q)]).toEqual([q, {}]);
  });

  test('every question of the search follows an index', async () => {
    if (engine !== 'sqlite') return;
    const nowMs = world.harness.clock.now();
    const plans = await plansOf(world.harness.db, async (_, raw) => {
      const repo = createSearchRepo(raw);
      for (const q of ['hub', '25565', world.ann.id, '482 913', DISCORD, '192.0.2.44', 'SUMMER']) {
        await repo.users(q, { nowMs, byAddress: true, place: { kind: 'address', value: q }, limit: 5 });
        await repo.servers(q, 5);
        await repo.orders(q, 5);
        await repo.codes(q, 5);
        await repo.queue(q, 5);
      }
    });
    expect(plans.length).toBeGreaterThan(50);
    expect(plans.filter(({ plan }) => /\bSCAN\b/.test(plan))).toEqual([]);
  });
});
