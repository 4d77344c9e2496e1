import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DAY, MINUTE } from '#shared/time.ts';
import { call } from '#tests/support/call.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 4.4.

let harness: Harness;
let ann: Person;
beforeEach(async () => {
  harness = await openHarness();
  ann = await harness.person('ann');
});
afterEach(() => harness.close());

const person = (username: string) => ({
  username,
  email: `${username}@example.com`,
  password: PASSWORD,
  first_name: 'A',
  last_name: 'B',
  terms: true,
});
/** Registers as a browser at an address would. */
const register = (body: object, address = '198.51.100.9') =>
  harness.http('/api/auth/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: 'http://127.0.0.1', 'X-Forwarded-For': address },
    body: JSON.stringify(body),
  });
const idOf = async (username: string) =>
  (await harness.db.sql<{ id: string }>('SELECT id FROM users WHERE username = ?', [username]))[0]?.id ?? '';
const readyServer = async (username: string) =>
  harness.db.sql("INSERT INTO server_events (id, server_id, user_id, at_ms, code) VALUES (?, 's', ?, 1, 'ready')", [
    `e-${username}`,
    await idOf(username),
  ]);

test('the page shows a code, a registration with it, and what came of it', async () => {
  expect(await ann.api.referrals.page()).toMatchObject({
    code: null,
    link: null,
    totals: { invited: 0 },
    month: { rewarded: 0, max: 20 },
    own: null,
  });
  const { code } = await ann.api.referrals.makeCode();
  expect(await ann.api.referrals.makeCode()).toMatchObject({ code });
  expect(await harness.guest.auth.options({ query: { ref: code } })).toMatchObject({ referral: 'known' });
  const answer = (await (await register({ ...person('bob'), referral: code })).json()) as object;
  expect(answer).toMatchObject({ signed_in: true, referral: 'known' });
  await readyServer('bob');
  let page = await ann.api.referrals.page();
  expect(page).toMatchObject({
    code,
    link: `https://panel.example.com/auth/register?ref=${code}`,
    totals: { invited: 1, paid: 0, credits: 0 },
  });
  expect(page.list).toMatchObject([{ username: 'bob', state: 'pending', reason: null, credits: 0 }]);
  // T56: of the newcomer the name, and nothing of what they do.
  expect(Object.keys(page.list[0] ?? {}).sort()).toEqual(['at', 'credits', 'id', 'reason', 'state', 'username']);
  harness.clock.advance(DAY);
  await harness.drainJobs();
  page = await ann.api.referrals.page();
  expect(page).toMatchObject({
    totals: { invited: 1, paid: 1, credits: 35 },
    month: { rewarded: 1, max: 20 },
    list: [{ state: 'paid', reason: null, credits: 35 }],
  });
  expect([await harness.balance(ann.id), await harness.balance(await idOf('bob'))]).toEqual([35, 15]);
});

test('T16 a wrong code never stops a registration, whatever it is, and is named', async () => {
  const codes = ['nosuch00', 'user:1', "x' OR '1'='1", '../..', '🦊'.repeat(30), 'a'.repeat(2000), ' '];
  for (const [index, referral] of codes.entries()) {
    const response = await register({ ...person(`new${index}`), referral }, `198.51.100.${index}`);
    expect([referral.slice(0, 10), response.status]).toEqual([referral.slice(0, 10), 200]);
    expect((await response.json()) as object).toMatchObject({
      signed_in: true,
      referral: referral === ' ' ? 'none' : 'unknown',
    });
    const notified = await harness.db.sql<{ kind: string }>('SELECT kind FROM notifications WHERE user_id = ?', [
      await idOf(`new${index}`),
    ]);
    expect(notified.map(({ kind }) => kind)).toEqual(referral === ' ' ? [] : ['referralUnknown']);
  }
  expect(await harness.guest.auth.options({ query: { ref: 'nosuch00' } })).toMatchObject({ referral: 'unknown' });
  expect(await harness.guest.auth.options({ query: {} })).toMatchObject({ referral: 'none' });
  expect(await harness.db.sql('SELECT * FROM referrals')).toEqual([]);
});

test('T16 oneself by a second account in the same browser or home is rejected, and which sign it was is not shown', async () => {
  const { code } = await ann.api.referrals.makeCode();
  // The test people log in from this address.
  await register({ ...person('alt'), referral: code }, '203.0.113.7');
  await harness.db.sql("UPDATE sessions SET address = '203.0.113.7' WHERE user_id = ?", [ann.id]);
  await readyServer('alt');
  harness.clock.advance(DAY);
  await harness.drainJobs();
  expect((await ann.api.referrals.page()).list).toMatchObject([
    { username: 'alt', state: 'rejected', reason: 'shared', credits: 0 },
  ]);
  expect(await harness.balance(ann.id)).toBe(0);
});

test('the answer shows nothing about the address, with a code or without, where addresses are confirmed', async () => {
  await harness.close();
  const mail = {
    host: '127.0.0.1',
    port: 1,
    security: 'none',
    username: null,
    password: null,
    fromAddress: 'host@example.com',
    fromName: 'Host',
  } as const;
  harness = await openHarness({ config: { mail } });
  ann = await harness.person('ann');
  await harness.set({ mail_verification: true });
  const { code } = await ann.api.referrals.makeCode();
  const answers = [person('carl'), { ...person('dora'), email: 'carl@example.com' }, person('emil')].map(
    async (body, index) => (await register({ ...body, referral: code }, `198.51.100.${index}`)).json(),
  );
  for (const answer of await Promise.all(answers))
    expect(answer).toEqual({ success: true, error_code: null, signed_in: false, referral: 'known' });
  expect(await harness.db.sql('SELECT newcomer_id FROM referrals')).toEqual([]);
  expect(
    await harness.db.sql('SELECT username FROM pending_accounts WHERE referral = ? ORDER BY username', [code]),
  ).toEqual(['carl', 'dora', 'emil'].map((username) => ({ username })));
});

test('a switch that is off closes the page and the commands, and no code counts', async () => {
  const { code } = await ann.api.referrals.makeCode();
  await harness.set({ referrals_enabled: false });
  expect(await call(harness, ann, 'GET', '/api/earn/referrals')).toMatchObject({
    status: 404,
    json: { error_code: 'FEATURE_DISABLED' },
  });
  expect(await call(harness, ann, 'POST', '/api/earn/referrals/code')).toMatchObject({
    status: 404,
    json: { error_code: 'FEATURE_DISABLED' },
  });
  expect(await harness.guest.auth.options({ query: { ref: code } })).toMatchObject({ referral: 'off' });
  expect((await (await register({ ...person('eve'), referral: code })).json()) as object).toMatchObject({
    signed_in: true,
    referral: 'none',
  });
  expect(await harness.db.sql('SELECT * FROM referrals')).toEqual([]);
});

test('the list is paged', async () => {
  const { code } = await ann.api.referrals.makeCode();
  for (let index = 0; index < 5; index++) {
    harness.clock.advance(1);
    await register({ ...person(`p${index}xx`), referral: code }, `198.51.100.${index}`);
  }
  const names = async (page: string) =>
    (await ann.api.referrals.page({ query: { page, per_page: '2' } })).list.map(({ username }) => username);
  expect([await names('1'), await names('2'), await names('3')]).toEqual([
    ['p4xx', 'p3xx'],
    ['p2xx', 'p1xx'],
    ['p0xx'],
  ]);
  expect((await ann.api.referrals.page({ query: { per_page: '2' } })).paging).toEqual({
    page: 1,
    per_page: 2,
    total: 5,
  });
});

test('a first server has a referral checked, and nobody waits for the daily check', async () => {
  await harness.close();
  harness = await openHarness({ sample: true });
  ann = await harness.person('ann');
  const bob = await harness.person('bob');
  const { code } = await ann.api.referrals.makeCode();
  await harness.db.sql("UPDATE sessions SET address = '192.0.2.1' WHERE user_id = ?", [ann.id]);
  await harness.db.uow.run((tx) =>
    harness.host.services.referrals.addReferral(tx, { userId: bob.id, referral: code, address: '198.51.100.9' }),
  );
  harness.clock.advance(8 * DAY);
  await harness.drainJobs();
  const next = async () =>
    (await harness.db.sql<{ next_check_ms: number }>('SELECT next_check_ms FROM referrals'))[0]?.next_check_ms;
  expect(await next()).toBe(harness.clock.now() + DAY);
  await harness.set({ embedded_install_seconds: 0 });
  const { locations, categories } = await bob.api.servers.options();
  const eggs = categories.flatMap((category) => category.eggs.map((egg) => ({ ...egg, category: category.id })));
  const egg = eggs.toSorted((a, b) => a.min_memory - b.min_memory)[0];
  const location = locations[0];
  if (!egg || !location) throw new Error('no sample data');
  await bob.api.servers.create({
    body: {
      name: 'First',
      description: '',
      location_id: location.id,
      category_id: egg.category,
      egg_id: egg.id,
      memory: egg.min_memory,
      disk: egg.min_disk,
      cpu: egg.min_cpu,
      ports: 1,
      databases: 0,
      backups: 0,
      variables: Object.fromEntries(egg.variables.map(({ env, default_value: value }) => [env, value])),
      auto_renew: false,
    },
  });
  for (let turn = 0; turn < 3; turn++) {
    harness.clock.advance(MINUTE);
    await harness.drainJobs();
  }
  expect(await harness.balance(bob.id)).toBe(15);
});
