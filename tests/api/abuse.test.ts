import { afterEach, expect, test } from 'bun:test';
import { DEVICE_COOKIE } from '#server/api/session-cookies.ts';
import { composeWeb } from '#server/compose/web.ts';
import { readConfig } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { MINUTE } from '#shared/time.ts';
import { openBrowser } from '#tests/support/browser.ts';
import { call } from '#tests/support/call.ts';
import { solvePuzzle } from '#tests/support/challenge.ts';
import { testIds } from '#tests/support/clock.ts';
import { addCode, nth } from '#tests/support/coins.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 4.6.

let harness: Harness;
afterEach(() => harness.close());
const ids = testIds(3);
const HELD = '/api/account/held-rewards';
const ADMIN = '/api/admin/held-rewards';

/** A command of a person from an address, through a proxy or not: the way that decides what their address is. */
async function from(
  person: Person,
  socket: string,
  headers: Record<string, string> = {},
  trusted = '127.0.0.1',
): Promise<number> {
  const { host, clock, transport } = harness;
  const handle = await composeWeb({
    config: readConfig({ TRUSTED_PROXIES: trusted }),
    transport,
    clock,
    ids: host.services.ids,
    log: createLog('silent', clock.now),
    local: true,
    pages: false,
  });
  const all = {
    Host: 'play.example.com',
    Origin: 'https://play.example.com',
    Cookie: `__Host-spawnpoint=${person.secret}`,
    ...headers,
  };
  const request = new Request('https://play.example.com/api/earn/afk/stop', {
    method: 'POST',
    headers: { 'X-Forwarded-Proto': 'https', ...all },
  });
  return (await handle(request, { requestIP: () => ({ address: socket }), timeout: () => undefined })).status;
}
const seenOf = (person: Person) =>
  harness.db.sql<{ kind: string; value: string }>(
    'SELECT kind, value FROM abuse_signals WHERE user_id = ? ORDER BY kind, value',
    [person.id],
  );

/** Four people on one device; the first of them. */
async function suspects(): Promise<Person[]> {
  const people = [];
  for (const name of ['ada', 'bea', 'cai', 'dov']) {
    const person = await harness.person(name);
    await harness.host.services.abuse.observe({
      userId: person.id,
      sessionId: `s-${name}`,
      address: '198.51.100.7',
      device: 'one device for all',
    });
    people.push(person);
  }
  return people;
}
async function heldCode(person: Person, credits = 40): Promise<void> {
  const code = `CODE-${person.username}-${credits}`;
  await addCode(harness.db, ids, harness.clock.now(), code, { credits });
  expect(await person.api.redeem.redeem({ body: { code } })).toMatchObject({ credits, balance: 0, state: 'held' });
}

test('T18 a header from anybody but a trusted proxy neither dodges nor frames: the socket’s address is what is noted', async () => {
  harness = await openHarness();
  const [ann, ben, cleo] = [await harness.person('ann'), await harness.person('ben'), await harness.person('cleo')];
  const forged = {
    'X-Forwarded-For': '198.51.100.1',
    'CF-Connecting-IP': '198.51.100.1',
    'X-Real-IP': '198.51.100.1',
    Forwarded: 'for=198.51.100.1',
    'True-Client-IP': '198.51.100.1',
  };
  // Straight from the internet: whatever the headers say.
  await from(ann, '203.0.113.5', forged);
  await from(ben, '203.0.113.5');
  const [a, b] = [await seenOf(ann), await seenOf(ben)];
  expect(a).toEqual(b);
  expect(a).toHaveLength(1);
  // Through our own proxy: the last hop that is not ours, not the first that the visitor made up; and a value that is
  // none counts for nothing.
  await from(cleo, '127.0.0.1', { 'X-Forwarded-For': '198.51.100.1, 198.51.100.2, 203.0.113.5, 127.0.0.1' });
  expect(await seenOf(cleo)).toEqual(a);
  await from(await harness.person('dora'), '127.0.0.1', {
    'X-Forwarded-For': "203.0.113.5', 0); DROP TABLE abuse_signals; --",
  });
  expect(await harness.db.sql('SELECT COUNT(*) AS n FROM abuse_signals')).toEqual([{ n: 4 }]);
});

test('T18 an IPv6 visitor counts as their /64, and an IPv4 address written as IPv6 is that address', async () => {
  harness = await openHarness();
  const people = [
    await harness.person('ann'),
    await harness.person('ben'),
    await harness.person('cleo'),
    await harness.person('dora'),
  ];
  for (const [index, address] of [
    '2001:db8:1:2::5',
    '2001:db8:1:2:ffff::9',
    '::ffff:203.0.113.5',
    '203.0.113.5',
  ].entries())
    await from(nth(people, index), address);
  const [a, b, c, d] = await Promise.all(people.map(seenOf));
  expect([a, c]).toEqual([b, d]);
  expect(a?.[0]?.kind).toBe('network');
});

test('T19 neither the page of rewards on hold nor any refusal shows other accounts, scores or reasons', async () => {
  harness = await openHarness();
  const [ada] = await suspects();
  if (!ada) throw new Error('nobody');
  await heldCode(ada);
  const { json } = await call(harness, ada, 'GET', HELD);
  const [own] = json.rewards as Record<string, unknown>[];
  expect(Object.keys(own ?? {}).sort()).toEqual([
    'amount',
    'decided_at',
    'held_at',
    'id',
    'note',
    'release_at',
    'source',
    'state',
    'subject',
  ]);
  expect(json.waiting).toBe(40);
  const statement = await call(harness, ada, 'GET', '/api/account/statement');
  const bell = await call(harness, ada, 'GET', '/api/notifications');
  for (const text of [JSON.stringify(json), JSON.stringify(statement.json), JSON.stringify(bell.json)]) {
    for (const word of ['bea', 'cai', 'dov', 'deviceShared', 'score', 'reason', 'addressShared'])
      expect(text).not.toContain(word);
  }
  // Staff see counts, not names.
  const staff = await harness.person('staff', { permissions: ['admin.rewards.held.list'] });
  const text = JSON.stringify((await call(harness, staff, 'GET', ADMIN)).json);
  expect(text).toContain('deviceShared');
  for (const name of ['bea', 'cai', 'dov']) expect(text).not.toContain(name);
});

test('T19 an attacker who fills the victim’s address with accounts puts none of the victim’s rewards on hold and bans nobody', async () => {
  harness = await openHarness();
  const victim = await harness.person('victim');
  const observe = (id: string, device: string) =>
    harness.host.services.abuse.observe({ userId: id, sessionId: `s-${id}`, address: '203.0.113.77', device });
  await observe(victim.id, 'the victim’s own');
  for (let index = 0; index < 20; index += 1) await observe((await harness.person(`alt${index}`)).id, 'the attacker’s');
  await addCode(harness.db, ids, harness.clock.now(), 'SPRING', { credits: 5 });
  expect(await victim.api.redeem.redeem({ body: { code: 'SPRING' } })).toMatchObject({
    credits: 5,
    balance: 5,
    state: 'paid',
  });
  expect(await harness.db.sql("SELECT id FROM users WHERE status <> 'active'")).toEqual([]);
});

test('staff see the explanation and decide, one or several, and fifty at once decide once', async () => {
  harness = await openHarness();
  const [ada, bea] = await suspects();
  if (!ada || !bea) throw new Error('nobody');
  await heldCode(ada);
  await heldCode(bea, 9);
  const staff = await harness.person('staff', { permissions: ['admin.rewards.held.list', 'admin.rewards.held.edit'] });
  const { rows, open, paging } = await staff.api.adminHeldRewards.list({ query: { state: 'open', sort: '-amount' } });
  expect({ open, total: paging.total }).toEqual({ open: { count: 2, credits: 49 }, total: 2 });
  expect(rows[0]).toMatchObject({
    username: 'ada',
    amount: 40,
    score: 75,
    cause: 'score',
    own: false,
    reasons: [
      { code: 'deviceShared', weight: 70, count: 3 },
      { code: 'addressShared', weight: 5, count: 3 },
    ],
  });
  const id = nth(rows, 0).id;
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => call(harness, staff, 'POST', `${ADMIN}/${id}/decide`, { decision: 'release' })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(
    new Set(
      answers.filter(({ status }) => status !== 200).map(({ status, json }) => `${status} ${String(json.error_code)}`),
    ),
  ).toEqual(new Set(['409 HOLD_CLOSED']));
  expect(await harness.balance(ada.id)).toBe(40);
  expect(
    await staff.api.adminHeldRewards.decideMany({ body: { ids: rows.map((row) => row.id), decision: 'reject' } }),
  ).toMatchObject({ done: 1, refused: 1 });
  expect(await harness.balance(bea.id)).toBe(0);
  const statement = await ada.api.account.statement({ query: {} });
  expect(statement.rows.map(({ kind, amount }) => [kind, amount])).toEqual([['reward.released', 40]]);
  expect(statement.held).toBe(0);
});

test('T24 a note is written by the reward’s user alone, once, and staff see it', async () => {
  harness = await openHarness();
  const [ada, bea] = await suspects();
  if (!ada || !bea) throw new Error('nobody');
  await heldCode(ada);
  const id = nth((await ada.api.heldRewards.list()).rewards, 0).id;
  const say = (person: Person, note: unknown) => call(harness, person, 'POST', `${HELD}/${id}/note`, { note });
  expect(await say(bea, 'mine')).toMatchObject({ status: 404 });
  for (const bad of ['', '   ', 'x'.repeat(1001), 5, null, ['a'], 'a\u0000b'])
    expect(await say(ada, bad)).toMatchObject({ status: 422 });
  expect(await say(ada, 'We are four in the flat.\nOne computer.')).toMatchObject({ status: 200 });
  expect(await say(ada, 'again')).toMatchObject({ status: 409, json: { error_code: 'APPEAL_SENT' } });
  const staff = await harness.person('staff', { permissions: ['admin.rewards.held.list'] });
  expect((await staff.api.adminHeldRewards.list({ query: { note: 'true' } })).rows).toMatchObject([
    { note: 'We are four in the flat.\nOne computer.' },
  ]);
  expect(await call(harness, staff, 'POST', `${ADMIN}/${id}/decide`, { decision: 'release' })).toMatchObject({
    status: 403,
  });
});

test('T4 odd decisions, ids and filters are refused', async () => {
  harness = await openHarness();
  const staff = await harness.person('staff', { permissions: ['admin.root'] });
  for (const body of [
    {},
    { ids: [], decision: 'release' },
    { ids: ['x'], decision: 'release' },
    { ids: Array(101).fill('01890000-0000-7000-8000-000000000000'), decision: 'release' },
    { ids: 'x', decision: 'release' },
  ]) {
    expect((await call(harness, staff, 'POST', `${ADMIN}/decide`, body)).status).toBe(422);
  }
  expect(
    (await call(harness, staff, 'POST', `${ADMIN}/01890000-0000-7000-8000-000000000000/decide`, { decision: 'pay' }))
      .status,
  ).toBe(422);
  for (const query of ['state=any', 'source=gift', 'sort=user_id', 'per_page=1000', 'note=1'])
    expect((await call(harness, staff, 'GET', `${ADMIN}?${query}`)).status).toBe(422);
});

/** A guest's browser: keeps the device cookie, solves puzzles for real. */
function browser() {
  let device = '';
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = {
      Origin: 'http://127.0.0.1',
      Cookie: device,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    const response = await harness.http(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const cookie = response.headers.getSetCookie().find((line) => line.startsWith(`${DEVICE_COOKIE}=`));
    if (cookie) device = cookie.split(';')[0] ?? '';
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };
  const solve = async (action: string): Promise<string> => {
    const { json } = await send('GET', `/api/challenge?action=${action}`);
    return solvePuzzle(String(json.puzzle));
  };
  return { send, solve };
}
const newcomer = (username: string, more: object = {}) => ({
  username,
  email: `${username}@example.com`,
  password: 'plough lantern meadow seven',
  first_name: 'A',
  last_name: 'B',
  terms: true,
  ...more,
});

test('registration asks for a challenge where one is set: each account costs its own', async () => {
  harness = await openHarness();
  await harness.set({ challenge: 'altcha', altcha_cost: 100 });
  const { send, solve } = browser();
  expect(await send('POST', '/api/auth/register', newcomer('ann'))).toMatchObject({
    status: 403,
    json: { error_code: 'CHALLENGE_REQUIRED' },
  });
  expect(await send('POST', '/api/auth/register', newcomer('ann', { challenge: 'AAAA' }))).toMatchObject({
    status: 403,
    json: { error_code: 'CHALLENGE_FAILED' },
  });
  const challenge = await solve('register');
  const answers = await Promise.all(
    ['ann', 'ben', 'cleo'].map((name) => send('POST', '/api/auth/register', newcomer(name, { challenge }))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
  expect(
    await send('POST', '/api/auth/register', newcomer('dora', { challenge: await browser().solve('register') })),
  ).toMatchObject({ status: 403 });
});

test('a log-in asks for a challenge after failures, of a user that exists as of one that does not', async () => {
  harness = await openHarness();
  await harness.set({ challenge: 'altcha', altcha_cost: 100, challenge_login_after: 2 });
  await harness.person('ann');
  for (const login of ['ann', 'nobody']) {
    const { send, solve } = browser();
    const tries: unknown[] = [];
    for (let index = 0; index < 3; index += 1)
      tries.push((await send('POST', '/api/auth/login', { login, password: 'wrong' })).json.error_code);
    expect(tries.slice(-1)).toEqual(['CHALLENGE_REQUIRED']);
    expect(
      (await send('POST', '/api/auth/login', { login, password: 'wrong', challenge: await solve('login') })).json
        .error_code,
    ).toBe('LOGIN_FAILED');
    if (login === 'ann')
      expect(
        await send('POST', '/api/auth/login', { login, password: PASSWORD, challenge: await solve('login') }),
      ).toMatchObject({ status: 200 });
  }
});

test('the ad-blocker check stands before AFK: a browser that loads the bait and hands in what it contained may earn', async () => {
  harness = await openHarness();
  await harness.set({ adblock_check: true });
  const ann = await harness.person('ann');
  expect(await call(harness, ann, 'POST', '/api/earn/afk/start')).toMatchObject({
    status: 403,
    json: { error_code: 'AD_BLOCKER' },
  });
  expect(
    await call(harness, ann, 'POST', '/api/earn/ad-check', { token: 'no ad-blocker here, honestly' }),
  ).toMatchObject({ status: 403 });
  const bait = await harness.http('/api/ads/banner-ad.txt', { headers: { Cookie: `__Host-spawnpoint=${ann.secret}` } });
  expect([bait.status, bait.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(await call(harness, ann, 'POST', '/api/earn/ad-check', { token: await bait.text() })).toMatchObject({
    status: 200,
  });
  expect(await call(harness, ann, 'POST', '/api/earn/afk/start')).toMatchObject({ status: 200 });
});

test('a link claim is begun past the challenge of its own session', async () => {
  harness = await openHarness();
  const ann = await harness.person('ann');
  await harness.set({ challenge: 'altcha', altcha_cost: 100 });
  const start = (challenge?: string) =>
    call(harness, ann, 'POST', '/api/earn/links/start', {
      provider: 'linkpays',
      ...(challenge === undefined ? {} : { challenge }),
    });
  expect(await start()).toMatchObject({ status: 403, json: { error_code: 'CHALLENGE_REQUIRED' } });
  expect(await start(await browser().solve('link'))).toMatchObject({
    status: 403,
    json: { error_code: 'CHALLENGE_FAILED' },
  });
  const { puzzle } = await ann.api.challenge.offer({ query: { action: 'link' } });
  // Past the challenge; no provider is set up here.
  expect((await start(await solvePuzzle(puzzle))).json.error_code).toBe('LINK_UNAVAILABLE');
});

test('the scheduler releases what waited for a proof, and forgets what is old', async () => {
  harness = await openHarness();
  const ann = await harness.person('ann');
  const { payout } = harness.host.services;
  await harness.db.uow.run((tx) =>
    payout.pay(tx, {
      userId: ann.id,
      source: 'link',
      amount: 100,
      reference: 'link:1',
      subject: 'ShareUs',
      proof: false,
    }),
  );
  expect((await ann.api.heldRewards.list()).rewards).toMatchObject([
    { state: 'open', amount: 100, subject: 'ShareUs', release_at: expect.any(String) },
  ]);
  harness.clock.advance(24 * 60 * MINUTE);
  await harness.drainJobs();
  expect(await harness.balance(ann.id)).toBe(100);
  expect((await ann.api.heldRewards.list()).rewards).toMatchObject([{ state: 'released', release_at: null }]);
});

test('E6 registering is a sighting, before anything else is done', async () => {
  harness = await openHarness();
  const newcomer = (username: string) => ({
    username,
    email: `${username}@mail.example`,
    password: PASSWORD,
    first_name: 'A',
    last_name: 'B',
    terms: true,
  });
  const idOf = async (username: string) =>
    (await harness.db.sql<{ id: string }>('SELECT id FROM users WHERE username = ?', [username]))[0]?.id ?? '';
  const kinds = async (username: string) =>
    await harness.db.sql<{ kind: string; value: string }>(
      'SELECT kind, value FROM abuse_signals WHERE user_id = ? ORDER BY kind',
      [await idOf(username)],
    );
  const browser = openBrowser(harness, '198.51.100.77');
  expect(await browser.send('POST', '/api/auth/register', newcomer('first'))).toMatchObject({ status: 200 });
  const first = await kinds('first');
  expect(first.map(({ kind }) => kind)).toEqual(['address', 'device']);
  await browser.send('POST', '/api/auth/logout');
  expect(await browser.send('POST', '/api/auth/register', newcomer('second'))).toMatchObject({ status: 200 });
  // The same browser and address: the same signals, so the second account counts for the first one.
  expect(await kinds('second')).toEqual(first);
  const id = await idOf('first');
  expect(await harness.host.services.uow.read((tx) => tx.abuse.countSharing(id))).toMatchObject({
    device: 1,
    address: 1,
  });
});
