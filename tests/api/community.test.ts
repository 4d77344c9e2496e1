import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DEFAULT_FIELDS, DEFAULT_PRIVACY, PROFILE_FIELDS, type Privacy } from '#shared/profile.ts';
import { DAY } from '#shared/time.ts';
import { call, listen } from '#tests/support/call.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { png } from '#tests/support/png.ts';

// Shows behaviour 7.2.

const NOBODY = '01890000-0000-7000-8000-000000000000';

let harness: Harness;
let ann: Person;
let bob: Person;
beforeEach(async () => {
  harness = await openHarness();
  ann = await harness.person('ann.k', { credits: 1000 });
  bob = await harness.person('bob_w', { credits: 400 });
  harness.clock.advance(4 * DAY);
  await harness.drainJobs();
});
afterEach(() => harness.close());

const board = async (of: Person, which = 'credits') =>
  (await of.api.leaderboard.get({ query: { board: which as 'credits' } })).places.map(({ username, linked }) =>
    linked ? username : `(${username})`,
  );
const shows = (who: Person, change: Partial<Privacy>) => {
  const { fields, ...rest } = { ...DEFAULT_PRIVACY, ...change };
  return who.api.profiles.setPrivacy({ body: { ...rest, fields: [...fields] } });
};
const gift = (from: Person, body: object, key?: string) => call(harness, from, 'POST', '/api/gifts', body, key);

describe('gifts', () => {
  test('the form shows the rules, the gift moves the credits, and the statement of both says so', async () => {
    expect(await ann.api.gifts.form({ params: { id: bob.id } })).toMatchObject({
      recipient: { id: bob.id, username: 'bob_w' },
      balance: 1000,
      min: 1,
      max: 1000,
      fee_percent: 10,
      left_today: 2000,
      open: true,
    });
    expect(
      await ann.api.gifts.send({ body: { recipient: bob.id, amount: 125, total: 138, note: 'For the bridge' } }),
    ).toMatchObject({ amount: 125, fee: 13, total: 138, balance: 862, username: 'bob_w' });
    const lines = async (who: Person) =>
      (await who.api.account.statement({})).rows
        .filter(({ kind }) => kind === 'gift')
        .map(({ amount, subject }) => [amount, subject]);
    expect((await lines(ann)).toSorted()).toEqual([
      [-125, 'ann.k → bob_w'],
      [-13, 'ann.k → bob_w'],
    ]);
    expect(await lines(bob)).toEqual([[125, 'ann.k → bob_w']]);
    const heard = await bob.api.notifications.list();
    expect(heard.notifications[0]).toMatchObject({
      kind: 'giftReceivedNote',
      data: { name: 'ann.k', cost: 125, note: 'For the bridge' },
    });
  });

  test('the receiver’s page hears of it at once', async () => {
    const line = await listen(harness, bob, '/api/events');
    const heard = new Set<string>();
    await ann.api.gifts.send({ body: { recipient: bob.id, amount: 10, total: 11 } });
    while (!(heard.has('notifications') && heard.has('balance'))) {
      const event = await line.readLine();
      if (!event) break;
      heard.add(event.event === 'change' ? String((event.data as { topic?: string }).topic) : event.event);
    }
    await line.leave();
    expect([...heard]).toEqual(expect.arrayContaining(['balance', 'notifications']));
  });

  test('T1 the same gift fifty times at once is one, and fifty gifts stop at the balance', async () => {
    const body = { recipient: bob.id, amount: 100, total: 110 };
    const same = await Promise.all(Array.from({ length: 50 }, () => gift(ann, body, 'gift-key-1')));
    expect(new Set(same.map(({ status, json }) => `${status} ${String(json.balance)}`))).toEqual(new Set(['200 890']));
    const many = await Promise.all(Array.from({ length: 50 }, (_, index) => gift(ann, body, `other-key-${index}`)));
    expect(many.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(many.filter(({ json }) => json.error_code === 'INSUFFICIENT_CREDITS')).toHaveLength(42);
    expect([await harness.balance(ann.id), await harness.balance(bob.id)]).toEqual([10, 1300]);
  });

  test('T4 T29 amounts that are no whole numbers within bounds, and notes that are no plain line, are refused', async () => {
    for (const amount of [-1, 0, 0.5, 1e10, 1e300, '1', '1e9', '0x10', '', null, true, [1], { n: 1 }]) {
      expect(await gift(ann, { recipient: bob.id, amount, total: 11 })).toMatchObject({
        status: 422,
        json: { fields: { amount: expect.anything() } },
      });
    }
    expect(await gift(ann, { recipient: bob.id, amount: 1001, total: 1102 })).toMatchObject({
      status: 422,
      json: { fields: { amount: ['TOO_LARGE'] } },
    });
    for (const note of ['a\nb', 'a\u202Eb', 'a\u0000', 'x'.repeat(121), 5]) {
      expect(await gift(ann, { recipient: bob.id, amount: 10, total: 11, note })).toMatchObject({
        status: 422,
        json: { fields: { note: expect.anything() } },
      });
    }
    expect(
      await gift(ann, { recipient: bob.id, amount: 10, total: 11, note: '<b>$t(secret) {{cost}}</b>' }),
    ).toMatchObject({ status: 200 });
    expect(await harness.balance(ann.id)).toBe(989);
  });

  test('T9 the unknown, the hidden, the banned and the deleted give one answer', async () => {
    const answerFor = async (id: string) => {
      const { status, json } = await gift(ann, { recipient: id, amount: 10, total: 11 });
      const { request_id: _, ...rest } = json;
      return { status, ...rest };
    };
    const unknown = await answerFor(NOBODY);
    expect(unknown).toMatchObject({ status: 404, error_code: 'RECIPIENT_UNAVAILABLE' });
    await shows(bob, { profile: false });
    expect(await answerFor(bob.id)).toEqual(unknown);
    await shows(bob, {});
    await harness.host.services.identity.ban(null, bob.id, { reason: 'x', untilMs: null });
    expect(await answerFor(bob.id)).toEqual(unknown);
    await harness.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [bob.id]);
    expect(await answerFor(bob.id)).toEqual(unknown);
    expect(await gift(ann, { recipient: ann.id, amount: 10, total: 11 })).toMatchObject({
      status: 409,
      json: { error_code: 'GIFT_TO_SELF' },
    });
    expect(await harness.balance(ann.id)).toBe(1000);
  });

  test('a switch that is off closes the form and the command', async () => {
    await harness.set({ allow_coins_sharing: false });
    expect(await gift(ann, { recipient: bob.id, amount: 10, total: 11 })).toMatchObject({
      status: 404,
      json: { error_code: 'FEATURE_DISABLED' },
    });
    expect(await call(harness, ann, 'GET', `/api/gifts/${bob.id}`)).toMatchObject({
      status: 404,
      json: { error_code: 'FEATURE_DISABLED' },
    });
    expect(await ann.api.profiles.get({ params: { id: bob.id } })).toMatchObject({ giftable: false });
  });
});

describe('T56 what a user hides is hidden on every path', () => {
  /** Each path on which one may meet another, and what it tells when one is there (true) or not. */
  const PATHS: Readonly<Record<string, (of: Person, who: Person) => Promise<boolean>>> = {
    profile: async (of, who) => (await call(harness, of, 'GET', `/api/profiles/${who.id}`)).status === 200,
    skin: async (of, who) =>
      (await harness.http(`/api/users/${who.id}/skin.png`, { headers: { Cookie: `__Host-spawnpoint=${of.secret}` } }))
        .status === 200,
    lookup: async (of, who) =>
      (await of.api.profiles.lookup({ query: { q: who.username.slice(0, 3) } })).people.some(({ id }) => id === who.id),
    gift: async (of, who) => (await call(harness, of, 'GET', `/api/gifts/${who.id}`)).status === 200,
    board: async (of, who) => (await board(of)).some((name) => name.includes(who.username)),
    link: async (of, who) => (await board(of)).includes(who.username),
  };
  const everything = { profile: true, skin: true, lookup: true, gift: true, board: true, link: true };
  const nothing = { profile: false, skin: false, lookup: false, gift: false, board: false, link: false };
  const CASES: readonly [string, (who: Person) => Promise<unknown>, typeof everything][] = [
    ['who never chose', async () => undefined, everything],
    ['a hidden profile', (who) => shows(who, { profile: false }), { ...nothing, board: true }],
    ['off the leaderboard', (who) => shows(who, { leaderboard: false }), { ...everything, board: false, link: false }],
    ['both', (who) => shows(who, { leaderboard: false, profile: false }), nothing],
    ['without the skin', (who) => shows(who, { fields: [] }), { ...everything, skin: false }],
    ['banned', (who) => harness.host.services.identity.ban(null, who.id, { reason: 'x', untilMs: null }), nothing],
    [
      'banned, with a profile that was public',
      async (who) => (
        await shows(who, {}),
        harness.host.services.identity.ban(null, who.id, { reason: 'x', untilMs: null })
      ),
      nothing,
    ],
    ['deleted', (who) => harness.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [who.id]), nothing],
    [
      'hidden and shown again',
      async (who) => (await shows(who, { leaderboard: false, profile: false }), shows(who, {})),
      everything,
    ],
  ];

  test.each(CASES)('what a user hides is hidden on every path: %s', async (_, change, expected) => {
    await bob.api.account.putSkin({ body: png() });
    await change(bob);
    const met: Record<string, boolean> = {};
    for (const [name, path] of Object.entries(PATHS)) met[name] = await path(ann, bob);
    expect(met).toEqual(expected);
  });

  test.each(CASES.filter(([, , { profile }]) => !profile))('%s answers as nobody does', async (_, change) => {
    await change(bob);
    const answerFor = async (id: string) => {
      const { status, json } = await call(harness, ann, 'GET', `/api/profiles/${id}`);
      const { request_id: __, ...rest } = json;
      return { status, ...rest };
    };
    expect(await answerFor(bob.id)).toEqual(await answerFor(NOBODY));
  });

  test.each(PROFILE_FIELDS.map((field) => [field] as const))(
    'the part %s is shown alone, and all but it',
    async (field) => {
      await bob.api.account.putSkin({ body: png() });
      await harness.db.sql(
        'INSERT INTO leaderboard_scores (board, user_id, score, listed, linked) VALUES (?, ?, 3, 1, 1)',
        ['referrals', bob.id],
      );
      const seen = async () => {
        const profile = await ann.api.profiles.get({ params: { id: bob.id } });
        return PROFILE_FIELDS.filter((each) => profile[each] !== null);
      };
      await shows(bob, { fields: [field] });
      expect(await seen()).toEqual([field]);
      await shows(bob, { fields: PROFILE_FIELDS.filter((each) => each !== field) });
      expect(await seen()).toEqual(PROFILE_FIELDS.filter((each) => each !== field));
    },
  );

  test('one sees one’s own hidden profile, and reads that others do not', async () => {
    await shows(bob, { profile: false });
    expect(await bob.api.profiles.get({ params: { id: bob.id } })).toMatchObject({
      own: true,
      public: false,
      giftable: false,
    });
    expect((await bob.api.profiles.lookup({ query: { q: 'bob' } })).people).toEqual([]);
  });

  test('nothing private is in a profile: no address, no name, no balance until it is chosen', async () => {
    const text = JSON.stringify(await ann.api.profiles.get({ params: { id: bob.id } }));
    expect(text).not.toContain('example.com');
    expect(text).not.toContain('Person');
    expect(text).not.toContain('400');
    expect(DEFAULT_FIELDS).not.toContain('credits');
  });

  test('choices are kept as they were made, and doubled or unknown ones are not', async () => {
    await shows(bob, { fields: ['credits', 'credits', 'afk'], background: 'ember', avatar: 'head' });
    expect(await bob.api.profiles.privacy()).toMatchObject({
      leaderboard: true,
      profile: true,
      fields: ['credits', 'afk'],
      background: 'ember',
      avatar: 'head',
    });
    const bad = { ...DEFAULT_PRIVACY, fields: ['email'] };
    expect(await call(harness, bob, 'PUT', '/api/account/privacy', bad)).toMatchObject({ status: 422 });
    expect(
      await call(harness, bob, 'PUT', '/api/account/privacy', { ...bad, fields: [], background: 'url(x)' }),
    ).toMatchObject({ status: 422, json: { fields: { background: expect.anything() } } });
    const rows = await harness.db.sql<{ n: number }>(
      "SELECT COUNT(*) AS n FROM audit WHERE action = 'account.privacy'",
    );
    expect(rows[0]?.n).toBe(1);
  });
});

describe('the badge beside a name', () => {
  const BADGE = { kind: 'role', role: { name: 'Member', color: expect.stringMatching(/^#/) } };
  const paid = (who: Person) =>
    harness.db.sql(
      "INSERT INTO early_supporters (user_id, state, credits, created_ms, next_check_ms) VALUES (?, 'paid', 1, 1, 1)",
      [who.id],
    );
  /** Bob's badge as Ann reads it: on the leaderboard, in the look-up, on the profile, on the page of a gift. */
  async function readByAnn(): Promise<unknown[]> {
    harness.clock.advance(DAY);
    await harness.drainJobs();
    const { places } = await ann.api.leaderboard.get({ query: {} });
    const { people } = await ann.api.profiles.lookup({ query: { q: 'bob' } });
    const { badge } = await ann.api.profiles.get({ params: { id: bob.id } });
    const { recipient } = await ann.api.gifts.form({ params: { id: bob.id } });
    return [places.find(({ id }) => id === bob.id)?.badge, people[0]?.badge, badge, recipient.badge];
  }

  test('a player shows none until they choose one, and the chosen one stands wherever their name is read', async () => {
    expect(await readByAnn()).toEqual([null, null, null, null]);
    await shows(bob, { badge: 'role' });
    expect(await readByAnn()).toEqual([BADGE, BADGE, BADGE, BADGE]);
    await paid(bob);
    await shows(bob, { badge: 'supporter', fields: [] });
    const supporter = { kind: 'supporter', role: null };
    expect(await readByAnn()).toEqual([supporter, supporter, supporter, supporter]);
    await shows(bob, { badge: 'none' });
    expect(await readByAnn()).toEqual([null, null, null, null]);
  });

  test('nobody chooses a badge that is not theirs, and a lost one is shown no more', async () => {
    const refused = { ...DEFAULT_PRIVACY, badge: 'supporter' };
    expect(await call(harness, bob, 'PUT', '/api/account/privacy', refused)).toMatchObject({
      status: 422,
      json: { fields: { badge: ['NOT_ALLOWED'] } },
    });
    await paid(bob);
    await shows(bob, { badge: 'supporter' });
    await harness.db.sql("UPDATE early_supporters SET state = 'refused'");
    expect(await readByAnn()).toEqual([null, null, null, null]);
    expect(await bob.api.profiles.privacy()).toMatchObject({ badge: 'none', supporter: false });
  });
});

describe('the look-up', () => {
  test('the look-up finds the beginning of a name without case, ten at most, in order', async () => {
    for (let index = 0; index < 12; index += 1) await harness.person(`Zed${String(index).padStart(2, '0')}`);
    const { people, more } = await ann.api.profiles.lookup({ query: { q: 'ZE' } });
    expect(more).toBe(true);
    expect(people.map(({ username }) => username)).toEqual(
      Array.from({ length: 10 }, (_, index) => `Zed${String(index).padStart(2, '0')}`),
    );
    expect(await ann.api.profiles.lookup({ query: { q: 'zed11' } })).toMatchObject({
      people: [expect.anything()],
      more: false,
    });
  });

  test('T52 neither too short nor a pattern finds anybody, and it is rate limited', async () => {
    for (const q of ['b', '', ' ', '%', '__', 'b%', 'bo*', 'b.*', '.*', "b' OR 1=1", 'ob'])
      expect((await ann.api.profiles.lookup({ query: { q } })).people).toEqual([]);
    expect(await call(harness, ann, 'GET', `/api/lookup?q=bo${encodeURIComponent('\u0000')}`)).toMatchObject({
      status: 422,
    });
    const answers = await Promise.all(Array.from({ length: 60 }, () => call(harness, ann, 'GET', '/api/lookup?q=bo')));
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(20);
  });

  test('a switch that is off closes profiles, skins and the look-up', async () => {
    await bob.api.account.putSkin({ body: png() });
    await harness.set({ allow_public_profiles: false });
    for (const path of ['/api/lookup?q=bo', `/api/profiles/${bob.id}`])
      expect(await call(harness, ann, 'GET', path)).toMatchObject({
        status: 404,
        json: { error_code: 'FEATURE_DISABLED' },
      });
    expect(await call(harness, ann, 'GET', `/api/users/${bob.id}/skin.png`)).toMatchObject({
      status: 404,
      json: { error_code: 'NOT_FOUND' },
    });
  });
});

describe('the leaderboard', () => {
  test('the leaderboard shows who has what, and where one stands', async () => {
    expect(await ann.api.leaderboard.get({})).toMatchObject({
      board: 'credits',
      players: 2,
      places: [
        { rank: 1, username: 'ann.k', score: 1000 },
        { rank: 2, username: 'bob_w', score: 400 },
      ],
      own: { score: 1000, rank: 1, to_next: null, hidden: false },
    });
    expect((await bob.api.leaderboard.get({})).own).toEqual({ score: 400, rank: 2, to_next: 600, hidden: false });
    expect((await bob.api.leaderboard.get({ query: { board: 'servers' } })).places).toEqual([]);
  });

  test('a ban takes effect at once, its end as well', async () => {
    await harness.host.services.identity.ban(null, bob.id, { reason: 'x', untilMs: null });
    expect(await ann.api.leaderboard.get({})).toMatchObject({ players: 1, places: [{ username: 'ann.k' }] });
    await harness.host.services.identity.unban(null, bob.id);
    expect(await board(ann)).toEqual(['ann.k', 'bob_w']);
  });

  test('unknown boards, and a switch that is off, are refused', async () => {
    expect(await call(harness, ann, 'GET', '/api/leaderboard?board=passwords')).toMatchObject({ status: 422 });
    await harness.set({ leaderboard_enabled: false });
    expect(await call(harness, ann, 'GET', '/api/leaderboard')).toMatchObject({
      status: 404,
      json: { error_code: 'FEATURE_DISABLED' },
    });
  });
});
