import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

let harness: Harness;
let ada: Person;
beforeEach(async () => {
  harness = await openHarness({ sample: true });
  ada = await harness.person('ada', { credits: 500 });
  await harness.db.sql(
    'UPDATE user_limits SET memory = 16384, disk = 40960, cpu = 800, slots = 3, ports = 6, databases = 2, backups = 2 WHERE user_id = ?',
    [ada.id],
  );
});
afterEach(() => harness.close());

async function serverInput(facts: Record<string, unknown> = {}) {
  const { locations, categories } = await ada.api.servers.options();
  const location = locations.find((each) => each.available);
  const category = categories.find((each) => each.eggs.some((egg) => egg.available));
  const egg = category?.eggs.find((each) => each.available);
  if (!location || !category || !egg) throw new Error('the sample has nothing to offer');
  return {
    name: 'Lanternwood',
    description: 'line one\nline two',
    location_id: location.id,
    category_id: category.id,
    egg_id: egg.id,
    memory: Math.max(1024, egg.min_memory),
    disk: Math.max(1024, egg.min_disk),
    cpu: Math.max(100, egg.min_cpu),
    ports: 1,
    databases: 0,
    backups: 0,
    variables: {},
    auto_renew: false,
    ...facts,
  };
}
async function up(who = ada): Promise<string> {
  const { id } = await who.api.servers.create({ body: await serverInput() });
  for (let at = 0; at < 30; at += 1) {
    await harness.drainJobs();
    harness.clock.advance(2000);
  }
  return id;
}
async function errorOf(
  call: Promise<unknown>,
): Promise<{ code: string; status: number; fields: Record<string, string[]> } | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, status: error.status, fields: error.fields };
    throw error;
  }
}

describe('a server over the API', () => {
  test('a server goes from the options to the deletion', async () => {
    const id = await up();
    const page = await ada.api.servers.get({ params: { id } });
    expect(page.server).toMatchObject({
      state: 'active',
      name: 'Lanternwood',
      description: 'line one\nline two',
      can: { update: true, renew: true, delete: true, retry: false },
    });
    expect(page.panel).toBe('embedded');
    const shown = page.server.expires_at;
    const renewed = await ada.api.servers.renew({
      params: { id },
      body: { price: page.renew.cost, expires_at: shown },
    });
    expect(renewed).toMatchObject({ expires_at: page.renew.new_expiry, balance: 400 });
    const { memory, disk, cpu } = page.server.resources;
    await ada.api.servers.update({
      params: { id },
      body: { name: 'Skyhold', description: '', memory: memory + 512, disk, cpu, ports: 2, databases: 1, backups: 0 },
    });
    await ada.api.servers.autoRenew({ params: { id }, body: { on: true } });
    await harness.drainJobs();
    const list = await ada.api.servers.list();
    expect(list.servers).toMatchObject([{ name: 'Skyhold', auto_renew: true, resources: { ports: 2, databases: 1 } }]);
    expect(list.meters).toMatchObject({ memory: { used: memory + 512, limit: 16_384 }, slots: { used: 1, limit: 3 } });
    await ada.api.servers.delete({ params: { id }, body: { name: 'Skyhold' } });
    await harness.drainJobs();
    expect((await ada.api.servers.list()).servers).toEqual([]);
    expect(await errorOf(ada.api.servers.get({ params: { id } }))).toMatchObject({ code: 'NOT_FOUND', status: 404 });
  });

  test('a renewal sent again gets its answer once more, also where an earlier version stored it', async () => {
    const id = await up();
    const { server, renew } = await ada.api.servers.get({ params: { id } });
    const again = () =>
      ada.api.servers.renew(
        { params: { id }, body: { price: renew.cost, expires_at: server.expires_at } },
        { key: 'renew-key-1' },
      );
    const first = await again();
    expect(first).toMatchObject({ expires_at: renew.new_expiry, balance: 400 });
    expect(await again()).toEqual(first);
    const stored = "SELECT answer FROM idempotency_keys WHERE key = 'renew-key-1'";
    expect(await harness.db.sql(stored)).toEqual([
      { answer: JSON.stringify({ expiresMs: Date.parse(renew.new_expiry ?? ''), balance: 400 }) },
    ]);
    await harness.db.sql("UPDATE idempotency_keys SET answer = ? WHERE key = 'renew-key-1' RETURNING key", [
      JSON.stringify({ expires_at: renew.new_expiry, balance: 400 }),
    ]);
    expect(await again()).toEqual(first);
    expect((await ada.api.servers.get({ params: { id } })).server.expires_at).toBe(renew.new_expiry);
  });

  test('a creation sent twice with its key makes one server', async () => {
    const body = await serverInput();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => ada.api.servers.create({ body }, { key: 'create-key-1' })),
    );
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
    expect(
      await errorOf(ada.api.servers.create({ body: { ...body, name: 'Other' } }, { key: 'create-key-1' })),
    ).toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
  });

  test('a waiting server can leave the queue', async () => {
    const { id } = await ada.api.servers.create({ body: await serverInput() });
    await ada.api.servers.cancel({ params: { id } });
    expect((await ada.api.servers.list()).meters.slots).toEqual({ used: 0, limit: 3 });
    expect(await errorOf(ada.api.servers.cancel({ params: { id } }))).toMatchObject({ code: 'NOT_FOUND' });
  });

  for (const [field, value] of [
    ['memory', 0],
    ['memory', '512'],
    ['memory', 1.5],
    ['memory', 1e9],
    ['disk', null],
    ['cpu', -5],
    ['ports', 0],
    ['databases', [1]],
    ['backups', {}],
  ] as const) {
    test(`T22 ${field}: ${JSON.stringify(value)} is refused at its field`, async () => {
      const error = await errorOf(ada.api.servers.create({ body: (await serverInput({ [field]: value })) as never }));
      expect(error).toMatchObject({ code: 'VALIDATION_FAILED', status: 422 });
      expect(Object.keys(error?.fields ?? {})).toEqual([field]);
    });
  }

  for (const name of ['a\u0000b', 'a\u202eb', 'a\nb', '\u2028', '   ', 'x'.repeat(33)]) {
    test(`T29 the name ${JSON.stringify(name.slice(0, 8))} is refused`, async () => {
      expect(
        Object.keys((await errorOf(ada.api.servers.create({ body: await serverInput({ name }) })))?.fields ?? {}),
      ).toEqual(['name']);
    });
  }

  test('T29 what looks like markup, a mention or a formula stays the text it is', async () => {
    const name = '=<b>@everyone</b>';
    const { id } = await ada.api.servers.create({ body: await serverInput({ name }) });
    expect((await ada.api.servers.get({ params: { id } })).server.name).toBe(name);
  });

  test('T40 fields nobody may set are refused', async () => {
    expect(
      Object.keys(
        (await errorOf(ada.api.servers.create({ body: (await serverInput({ user_id: 'x' })) as never })))?.fields ?? {},
      ),
    ).toEqual(['user_id']);
  });

  test('T24 somebody else’s server answers like a missing one', async () => {
    const id = await up();
    const bob = await harness.person('bob', { credits: 500 });
    const { server } = await ada.api.servers.get({ params: { id } });
    const { memory, disk, cpu } = server.resources;
    const calls = (target: string) => [
      bob.api.servers.get({ params: { id: target } }),
      bob.api.servers.update({
        params: { id: target },
        body: { name: 'x', description: '', memory, disk, cpu, ports: 1, databases: 0, backups: 0 },
      }),
      bob.api.servers.renew({ params: { id: target }, body: { price: 100, expires_at: server.expires_at } }),
      bob.api.servers.autoRenew({ params: { id: target }, body: { on: true } }),
      bob.api.servers.delete({ params: { id: target }, body: { name: 'Lanternwood' } }),
      bob.api.servers.cancel({ params: { id: target } }),
      bob.api.servers.retry({ params: { id: target } }),
    ];
    const theirs = await Promise.all(calls(id).map(errorOf));
    const missing = await Promise.all(calls('00000000-0000-7000-8000-000000000000').map(errorOf));
    expect(theirs).toEqual(missing);
    expect(new Set(theirs.map((error) => error?.code))).toEqual(new Set(['NOT_FOUND']));
  });

  test('a flag that is off closes the doors', async () => {
    const body = await serverInput();
    const id = await up();
    await harness.set({ allow_servers: false, server_renew_enabled: false });
    for (const call of [
      ada.api.servers.create({ body }),
      ada.api.servers.options(),
      ada.api.servers.renewAll({ body: { price: 0 } }),
      ada.api.servers.renew({ params: { id }, body: { price: 100, expires_at: null } }),
    ]) {
      expect(await errorOf(call)).toMatchObject({ code: 'FEATURE_DISABLED', status: 404 });
    }
    expect((await ada.api.servers.get({ params: { id } })).server).toMatchObject({
      expires_at: null,
      can: { renew: false },
    });
  });
});

describe('the dashboard', () => {
  test('the dashboard of a newcomer shows what there is to earn, and where to begin', async () => {
    const eve = await harness.person('eve');
    const data = await eve.api.dashboard.get();
    expect(data).toMatchObject({
      balance: 0,
      earned_today: 0,
      earned_30_days: 0,
      servers: [],
      due: 0,
      statement: [],
      afk: { earned_today: 0, cap: 480 },
    });
    expect(data.history).toEqual(Array.from({ length: 30 }, () => 0));
    expect(data.next.map((hint) => hint.code)).toEqual(['create', 'afk', 'redeem']);
  });

  test('the dashboard of a user with servers shows balance, history, what is due and what to do, most urgent first', async () => {
    await harness.set({ afk_enabled: false, code_redemption_enabled: false });
    const first = await up();
    harness.clock.advance(28 * DAY);
    await harness.drainJobs();
    let data = await ada.api.dashboard.get();
    expect(data.due).toBe(100);
    expect(data.next).toMatchObject([
      { code: 'renew', subject: 'Lanternwood', amount: 100, route: 'server.renew', id: first },
    ]);
    expect(data.history).toHaveLength(30);
    expect(data.history.at(-1)).toBe(500);
    expect(data.statement).toHaveLength(1);
    // Hour by hour, as a host that is up: a jump would be a downtime, after which everybody has another day.
    for (const end = harness.clock.now() + 3 * DAY; harness.clock.now() < end; harness.clock.advance(55 * MINUTE))
      await harness.drainJobs();
    await harness.drainJobs();
    data = await ada.api.dashboard.get();
    expect(data.servers).toMatchObject([{ state: 'suspended', suspend_reason: 'expired' }]);
    expect(data.next).toMatchObject([{ code: 'unpaid', at: data.servers[0]?.deletes_at ?? '' }]);
    expect(await ada.api.servers.renewAll({ body: { price: data.due } })).toMatchObject({
      renewed: 1,
      skipped: 0,
      balance: 400,
    });
    data = await ada.api.dashboard.get();
    expect(data).toMatchObject({
      due: 0,
      next: [],
      balance: 400,
      statement: [{ kind: 'server.renew', subject: 'Lanternwood', amount: -100, balance_after: 400 }, {}],
    });
    expect(data.history.at(-1)).toBe(400);
  });

  test('the dashboard has servers in pages, and what is due, what needs credits and what to do of all of them', async () => {
    await harness.db.sql('UPDATE user_limits SET slots = 3, memory = 8192, disk = 40960, cpu = 400 WHERE user_id = ?', [
      ada.id,
    ]);
    const ids = [await up(), await up()];
    harness.clock.advance(28 * DAY);
    await harness.drainJobs();
    const page = (at: number) => ada.api.dashboard.get({ query: { page: String(at), per_page: '1' } });
    const pages = [await page(1), await page(2), await page(3)];
    expect(pages.flatMap(({ servers }) => servers.map(({ id }) => id)).sort()).toEqual(ids.sort());
    for (const [at, { paging, needing_credits: needing, due, next }] of pages.entries())
      expect({ paging, needing, due, renewals: next.filter(({ code }) => code === 'renew').length }).toEqual({
        paging: { page: at + 1, per_page: 1, total: 2 },
        needing: 2,
        due: 200,
        renewals: 2,
      });
  });

  test('a full slot limit leads to the store', async () => {
    await harness.db.sql('UPDATE user_limits SET slots = 1 WHERE user_id = ?', [ada.id]);
    await up();
    const { next } = await ada.api.dashboard.get();
    expect(next.find((hint) => hint.code === 'store')).toMatchObject({ amount: 500, route: 'store' });
  });
});
