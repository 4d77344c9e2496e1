import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Api } from '#shared/contract/index.ts';
import { seeded } from '#tests/support/random.ts';
import { Installation, until } from './installation.ts';

const host = new Installation();
const owner = { secret: null as string | null };
const player = { secret: null as string | null };
const PERSON = { password: 'plough lantern meadow seven', first_name: 'A', last_name: 'B', terms: true as const };
/** Credits of a code, and codes of a round: enough for a server slot, some memory and renewals. */
const CODE_CREDITS = 400;
const ROUNDS = 4;

beforeAll(async () => {
  await host.start();
  await host
    .client(owner)
    .auth.register({ body: { ...PERSON, username: 'owner', email: 'owner@example.com', setup: host.setup } });
  await host.client(player).auth.register({ body: { ...PERSON, username: 'player', email: 'player@example.com' } });
}, 300_000);
afterAll(() => host.remove());

/** Waits until each call has been answered or refused, or has failed because the process died. */
async function waitForAll(calls: Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(calls);
}

async function newCode(code: string): Promise<void> {
  await host.client(owner).adminRedeemCodes.create({
    body: {
      code,
      note: '',
      credits: CODE_CREDITS,
      uses_total: 1,
      starts_at: null,
      ends_at: null,
      enabled: true,
      min_age_days: 0,
    },
  });
}

async function serverInput(api: Api) {
  const options = await api.servers.options();
  const [location] = options.locations.filter((each) => each.available);
  const category = options.categories.find((each) => each.eggs.some((egg) => egg.available && egg.min_memory <= 512));
  const egg = category?.eggs.find((each) => each.available && each.min_memory <= 512);
  if (!location || !category || !egg) throw new Error('the sample catalogue offers nothing small');
  return {
    name: 'Survivor',
    description: '',
    location_id: location.id,
    category_id: category.id,
    egg_id: egg.id,
    memory: Math.max(256, egg.min_memory),
    disk: Math.max(256, egg.min_disk),
    cpu: Math.max(5, egg.min_cpu),
    ports: 1,
    databases: 0,
    backups: 0,
    auto_renew: false,
    variables: Object.fromEntries(egg.variables.map((each) => [each.env, each.default_value])),
  };
}

test('T1 T2 T10 kill -9 amid purchases, redemptions, renewals and queue steps: nothing is lost or doubled', async () => {
  const random = seeded(20_261_121);
  let api = host.client(player);
  for (let round = 0; round < ROUNDS; round += 1) {
    const code = `ROUND-${round}`;
    await newCode(code);
    const { items } = await api.store.items();
    const memory = items.find((item) => item.kind === 'memory');
    if (!memory) throw new Error('memory is not sold');
    const body = await serverInput(api);
    const { servers } = await api.servers.list();
    const calls: Promise<unknown>[] = [];
    for (let each = 0; each < 10; each += 1)
      calls.push(
        api.redeem.redeem({ body: { code } }),
        api.store.buy({ body: { item_id: memory.id, units: 1, price: memory.price } }),
      );
    for (let each = 0; each < 5; each += 1) calls.push(api.servers.create({ body }));
    for (const server of servers)
      for (let each = 0; each < 5; each += 1)
        calls.push(
          api.servers.renew({ params: { id: server.id }, body: { price: 100, expires_at: server.expires_at } }),
        );
    const done = waitForAll(calls);
    await Bun.sleep(random.int(120));
    await host.end('SIGKILL');
    await done;

    expect(await host.run('ledger', 'verify')).toEqual({ code: 0, output: 'the ledger holds\n' });
    await host.start();
    api = host.client(player);

    // What is in the wallet is exactly what came in less what was paid, and each thing paid for is there.
    const statement = await api.account.statement({ query: { per_page: '100' } });
    expect(statement.rows.reduce((sum, row) => sum + row.amount, 0)).toBe(statement.balance);
    const of = (kind: string) => statement.rows.filter((row) => row.kind === kind);
    expect(new Set(of('reward.redeem').map((row) => row.subject)).size).toBe(of('reward.redeem').length);
    const after = await api.store.items();
    expect(after.items.find((item) => item.kind === 'memory')?.current).toBe(1024 + 1024 * of('store.buy').length);
    const list = await api.servers.list();
    expect(list.servers.length).toBeLessThanOrEqual(list.meters.slots?.limit ?? 0);
    expect(list.meters.slots?.used).toBe(list.servers.length);
  }
  // The queue goes on by itself: whatever was taken in comes up.
  await waitForAll([api.servers.create({ body: await serverInput(api) })]);
  const end = await until(
    () => api.servers.list(),
    ({ servers }) => servers.length === 1 && servers.every((server) => server.state === 'active'),
    60_000,
  );
  expect(end.servers[0]?.address).toMatch(/:\d+$/);
}, 180_000);

test('SIGTERM drains: open streams do not hold the process, and it ends with 0', async () => {
  const stream = await fetch(`${host.url}/api/events`, { headers: { Cookie: `__Host-spawnpoint=${player.secret}` } });
  expect(stream.status).toBe(200);
  const page = fetch(`${host.url}/auth/login`).then((response) => response.text());
  const [code, html] = await Promise.all([page.then(() => host.end('SIGTERM')), page]);
  expect(code).toBe(0);
  expect(html).toContain('</html>');
  await stream.body?.cancel().catch(() => undefined);
  await host.start();
}, 300_000);

test('the command line answers as documented', async () => {
  await host.end('SIGTERM');
  const help = await host.run('--help');
  expect(help.code).toBe(0);
  for (const name of ['serve', 'migrate', 'user create', 'mail list', 'ledger verify', 'doctor', 'smoke'])
    expect(help.output).toContain(name);
  expect((await host.run('migrate')).output).toBe('nothing to do\n');
  expect((await host.run('nonsense')).code).toBe(2);
  expect((await host.run('settings', 'set', 'server_renew_cost', '1e3')).code).toBe(2);
  expect((await host.run('settings', 'set', 'server_renew_cost', '120')).code).toBe(0);
  expect((await host.run('settings', 'get', 'server_renew_cost')).output).toBe('120\n');
  await host.start();
  const smoke = await host.run('smoke', host.url);
  expect(smoke.output).toContain('checks hold');
  expect(smoke.code).toBe(0);
  expect((await host.run('smoke', 'http://127.0.0.1:1')).code).toBe(1);
  expect((await host.run('mail', 'list')).code).toBe(0);
  // Beside a server that runs.
  const doctor = await host.run('doctor', '--json');
  expect([0, 3]).toContain(doctor.code);
  expect(JSON.parse(doctor.output)).toMatchObject({
    rows: expect.arrayContaining([expect.objectContaining({ key: 'database', status: 'ok' })]),
  });
}, 300_000);
