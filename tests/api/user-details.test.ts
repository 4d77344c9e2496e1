import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { toCredits } from '#shared/credits.ts';
import { DEFAULT_PRIVACY } from '#shared/profile.ts';
import { DAY, iso } from '#shared/time.ts';
import { ctxOf } from '#tests/support/browser.ts';
import { atOnce } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import type { Account } from '#server/modules/ledger/index.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.3: signals, ways in and activity of a user; behaviour 3.9: a ban that rejects what waits.

const NOBODY = '01890000-0000-7000-8000-000000000000';
const ended = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error)),
  );

describe.each(ENGINES)('a user in detail, for staff, on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let ann: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    staff = await h.person('oana', { permissions: ['admin.users.edit', 'admin.users.list'] });
    ann = await h.person('ann');
  }, 300_000);
  afterEach(() => h.close());

  /** Has a reward of a user wait for review. */
  const hold = (who: Person, amount: number) =>
    h.db.uow.run((tx) =>
      h.host.services.payout.pay(tx, {
        userId: who.id,
        source: 'link',
        amount,
        reference: `test:${who.username}:${amount}`,
        subject: null,
        proof: false,
      }),
    );
  const createToken = (who: Person, name: string) =>
    who.api.apiTokens.create({ body: { name, scopes: ['account:read'], expires_in_days: 30, addresses: '' } });

  test('staff see the badge that a user chose, as players do', async () => {
    const badgeNow = async () => (await staff.api.adminUsers.get({ params: { id: ann.id } })).badge;
    expect(await badgeNow()).toBeNull();
    await ann.api.profiles.setPrivacy({
      body: { ...DEFAULT_PRIVACY, fields: [...DEFAULT_PRIVACY.fields], badge: 'role' },
    });
    expect(await badgeNow()).toEqual({ kind: 'role', role: { name: 'Member', color: expect.stringMatching(/^#/) } });
    await h.db.sql(
      "INSERT INTO early_supporters (user_id, state, credits, created_ms, next_check_ms) VALUES (?, 'paid', 1, 1, 1)",
      [ann.id],
    );
    await ann.api.profiles.setPrivacy({
      body: { ...DEFAULT_PRIVACY, fields: [...DEFAULT_PRIVACY.fields], badge: 'supporter' },
    });
    expect(await badgeNow()).toEqual({ kind: 'supporter', role: null });
  });

  test('staff see the support PIN while it is good, who invited the user, and what they earned in thirty days', async () => {
    const shown = async () => {
      const { support_pin: pin, referrer, earned } = await staff.api.adminUsers.get({ params: { id: ann.id } });
      return [pin?.pin ?? null, referrer, earned.credits];
    };
    expect(await shown()).toEqual([null, null, 0]);
    await ann.api.supportPin.renew();
    const { support_pin: pin } = await ann.api.supportPin.get();
    const bob = await h.person('bob');
    await h.db.uow.run(async (tx) => {
      const now = h.clock.now();
      await tx.referrals.add({
        newcomerId: ann.id,
        referrerId: bob.id,
        code: 'BOB',
        network: null,
        createdMs: now,
        nextCheckMs: now,
      });
      await h.host.services.ledger.transfer(tx, {
        kind: 'reward.redeem',
        reference: 'redeem:test',
        actor: null,
        reason: null,
        postings: [{ source: 'system:reward.redeem', destination: `user:${ann.id}`, amount: toCredits(25) }],
      });
    });
    expect(await shown()).toEqual([pin?.pin ?? '', { id: bob.id, username: 'bob' }, 25]);
    h.clock.advance(16 * DAY);
    expect(await shown()).toEqual([null, { id: bob.id, username: 'bob' }, 25]);
    h.clock.advance(16 * DAY);
    expect((await shown()).at(-1)).toBe(0);
  });

  test('T35 staff see the ways into an account without a secret, and revoke a token of a user below their rank', async () => {
    const details = staff.api.adminUserDetails;
    const { token } = await createToken(ann, 'script');
    await h.db.sql(
      "INSERT INTO linked_identities (id, user_id, provider, subject, name, scopes, tokens, version, refreshing_until_ms, linked_ms, updated_ms) VALUES ('i', ?, 'discord', '123456789012345678', 'ann#1', '', 'sealed', 1, 0, 0, 0)",
      [ann.id],
    );
    await h.db.sql(
      "INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports, multi_device, backed_up, name, created_ms) VALUES ('p', ?, 'c', 'public', 0, '[]', 1, 1, 'Phone', 0)",
      [ann.id],
    );
    const ways = await details.ways({ params: { id: ann.id } });
    expect(ways).toMatchObject({
      password: true,
      factor_at: null,
      recovery_codes: 0,
      linked: [{ provider: 'Discord', name: 'ann#1', linked_at: iso(0) }],
      passkeys: [{ name: 'Phone', synced: true, copied: false }],
      tokens: [{ name: 'script', scopes: ['account:read'], expires_at: iso(h.clock.now() + 30 * DAY) }],
    });
    expect(JSON.stringify(ways)).not.toMatch(/hash|sealed|public|argon/i);
    const id = ways.tokens[0]?.id ?? '';
    const bearer = () => h.http('/api/account', { headers: { Authorization: `Bearer ${token}` } });
    expect((await bearer()).status).toBe(200);
    const peer = await h.person('peer', { permissions: ['admin.users.edit'] });
    const theirs = (await createToken(peer, 'theirs')).id;
    expect(await ended(details.revokeToken({ params: { id: peer.id, token: theirs } }))).toBe('FORBIDDEN');
    expect(await ended(details.revokeToken({ params: { id: ann.id, token: theirs } }))).toBe('NOT_FOUND');
    expect(await ended(details.revokeToken({ params: { id: ann.id, token: id } }))).toBe('ok');
    expect((await bearer()).status).toBe(401);
    expect(await ended(details.ways({ params: { id: NOBODY } }))).toBe('NOT_FOUND');
  });

  test('the figures of a user are of thirty days: what was earned and spent most, without what came back', async () => {
    const { ledger } = h.host.services;
    let nth = 0;
    const move = (kind: string, source: Account, destination: Account, amount: number) =>
      h.db.uow.run((tx) =>
        ledger.transfer(tx, {
          kind,
          reference: `figures:${(nth += 1)}`,
          postings: [{ source, destination, amount: toCredits(amount) }],
        }),
      );
    /** Thirty-two days, within which the session of staff is used. */
    const daysLater = async () => {
      h.clock.advance(16 * DAY);
      await staff.api.session.get();
      h.clock.advance(16 * DAY);
    };
    const own = `user:${ann.id}` as const;
    await move('reward.redeem', 'system:reward.redeem', own, 100);
    await daysLater();
    await move('reward.afk', 'system:reward.afk', own, 60);
    await move('reward.link', 'system:reward.link', own, 20);
    await move('store.buy', own, 'system:store', 50);
    await move('store.refund', 'system:store', own, 40);
    await move('server.renew', own, 'system:renewal', 30);
    const { holdId } = await h.db.uow.run((tx) =>
      ledger.hold(tx, { userId: ann.id, amount: 5, reference: 'figures:hold', kind: 'server.create' }),
    );
    const read = async () => {
      const { earned, spent, paid } = await staff.api.adminUsers.get({ params: { id: ann.id } });
      return { earned, spent, paid };
    };
    const earned = { credits: 80, most: { name: 'reward.afk', credits: 60 } };
    expect(await read()).toEqual({
      earned,
      spent: { credits: 40, most: { name: 'renewal', credits: 30 } },
      paid: null,
    });
    await h.db.uow.run((tx) =>
      ledger.capture(tx, holdId, { kind: 'server.start', reference: 'figures:start', destination: 'system:renewal' }),
    );
    expect((await read()).spent).toEqual({ credits: 45, most: { name: 'renewal', credits: 35 } });
    await daysLater();
    expect(await read()).toMatchObject({ earned: { credits: 0, most: null }, spent: { credits: 0, most: null } });
  });

  test('T59 what a user paid is shown to who may list payments, without refunds, disputes and open orders', async () => {
    const order = (id: string, state: string, currency: string, amount: number, refunded: number) =>
      h.db.sql(
        `INSERT INTO payment_orders (id, user_id, provider, state, currency, amount, tax, tax_rate, credits, bonus, locale, refunded, credited_tx, created_ms, updated_ms, paid_ms)
         VALUES (?, ?, 'manual', ?, ?, ?, 0, 0, 1, 0, 'en', ?, ?, 1, 1, ?)`,
        [
          id,
          ann.id,
          state,
          currency,
          amount,
          refunded,
          state === 'pending' ? null : id,
          state === 'pending' ? null : 1,
        ],
      );
    await order('a', 'paid', 'EUR', 999, 0);
    await order('b', 'part_refunded', 'EUR', 1000, 502);
    await order('c', 'paid', 'USD', 300, 0);
    await order('d', 'disputed', 'EUR', 5000, 0);
    await order('e', 'refunded', 'EUR', 700, 700);
    await order('f', 'pending', 'EUR', 800, 0);
    const paidTo = async (by: Person) => (await by.api.adminUsers.get({ params: { id: ann.id } })).paid;
    const cashier = await h.person('cashier', { permissions: ['admin.users.edit', 'admin.payments.list'] });
    expect(await paidTo(cashier)).toEqual([
      { currency: 'EUR', minor: 1497, orders: 2 },
      { currency: 'USD', minor: 300, orders: 1 },
    ]);
    expect(await paidTo(staff)).toBeNull();
  });

  test('two accounts stand side by side with what both have, and those in common are named by how telling it is', async () => {
    const people = { bob: await h.person('bob'), cara: await h.person('cara'), dan: await h.person('dan') };
    const note = (who: Person, kind: 'address' | 'network' | 'device' | 'payment' | 'ads', value: string) =>
      h.db.uow.run((tx) => tx.abuse.recordSignals(who.id, [{ kind, value }], h.clock.now()));
    const start = h.clock.now();
    await note(ann, 'device', 'browser');
    await note(ann, 'device', 'phone');
    await note(ann, 'address', 'home');
    await note(ann, 'network', 'home6');
    await note(ann, 'payment', 'card');
    await note(ann, 'ads', 'session');
    h.clock.advance(DAY);
    await note(people.bob, 'address', 'home');
    await note(people.cara, 'device', 'browser');
    await note(people.cara, 'device', 'phone');
    await note(people.cara, 'network', 'home6');
    await note(people.dan, 'payment', 'card');
    await note(people.dan, 'ads', 'session');
    const details = staff.api.adminUserDetails;
    const { others } = await details.signals({ params: { id: ann.id } });
    const since = iso(start + DAY);
    expect(others).toEqual([
      { id: people.dan.id, username: 'dan', kinds: ['payment'], since },
      { id: people.cara.id, username: 'cara', kinds: ['device', 'address'], since },
      { id: people.bob.id, username: 'bob', kinds: ['address'], since },
    ]);
    const compare = (id: string, other: string) => details.compare({ params: { id, other } });
    const { accounts, shared } = await compare(ann.id, people.cara.id);
    expect(shared).toEqual([
      { kind: 'device', count: 2, since, last: since },
      { kind: 'address', count: 1, since, last: since },
    ]);
    expect(accounts).toMatchObject([
      { username: 'ann', status: 'active', reasons: [{ code: 'deviceSpread' }, { code: 'paymentShared' }] },
      { username: 'cara', status: 'active', email: 'cara@example.com' },
    ]);
    expect((await compare(people.bob.id, people.dan.id)).shared).toEqual([]);
    for (const [id, other] of [
      [ann.id, ann.id],
      [ann.id, NOBODY],
      [NOBODY, ann.id],
    ] as const)
      expect(await ended(compare(id, other))).toBe('NOT_FOUND');
    expect(await ended(ann.api.adminUserDetails.compare({ params: { id: ann.id, other: staff.id } }))).toBe(
      'FORBIDDEN',
    );
  });

  test('the signals of a user say what adds up to the score, and what waits', async () => {
    const seen = { kind: 'device', value: 'one-browser' } as const;
    const others = [await h.person('bob'), await h.person('cara'), await h.person('dan')];
    for (const { id } of [ann, ...others])
      await h.db.uow.run((tx) => tx.abuse.recordSignals(id, [seen], h.clock.now()));
    await hold(ann, 12);
    const { signals } = staff.api.adminUserDetails;
    expect(await signals({ params: { id: ann.id } })).toEqual(
      expect.objectContaining({
        score: 70,
        threshold: 60,
        reasons: [{ code: 'deviceShared', weight: 70, count: 3 }],
        held: { count: 1, credits: 12 },
      }),
    );
    expect(await signals({ params: { id: staff.id } })).toMatchObject({ score: 0, reasons: [], held: { count: 0 } });
    expect(await ended(signals({ params: { id: NOBODY } }))).toBe('NOT_FOUND');
  });

  test('T59 the activity of a user has who, from where and with what, but only of areas that the caller may read', async () => {
    await ann.api.account.update({ body: { first_name: 'Ann', last_name: 'Lee', locale: 'en' } });
    await staff.api.adminAccounts.addNote({ params: { id: ann.id }, body: { text: 'hm' } }, { key: 'note-0001' });
    await h.db.sql(
      "INSERT INTO audit (id, at_ms, actor_id, action, target) VALUES ('z', ?, ?, 'settings.set', 'app_name')",
      [h.clock.now() + 1, ann.id],
    );
    const read = async (by: Person) => (await by.api.adminUserDetails.activity({ params: { id: ann.id } })).rows;
    const rows = await read(staff);
    expect(rows.map(({ action, by, own }) => [action, by, own])).toEqual(
      expect.arrayContaining([
        ['account.profile', 'ann', true],
        ['user_notes.create', 'oana', false],
        ['users.create', null, false],
      ]),
    );
    expect(rows.find(({ action }) => action === 'account.profile')?.address).not.toBeNull();
    expect(rows.map(({ action }) => action)).not.toContain('settings.set');
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    const asOwner = await read(owner);
    expect(asOwner.map(({ action, target }) => [action, target])).toContainEqual(['settings.set', 'app_name']);
    expect(await ended(staff.api.adminUserDetails.activity({ params: { id: NOBODY } }))).toBe('NOT_FOUND');
    expect(await ended(ann.api.adminUserDetails.activity({ params: { id: ann.id } }))).toBe('FORBIDDEN');
  });

  test('the activity of a user is read in pages that have each entry once', async () => {
    for (let n = 0; n < 60; n += 1)
      await h.db.sql("INSERT INTO audit (id, at_ms, actor_id, action, target) VALUES (?, ?, ?, 'account.login', ?)", [
        `a${n}`,
        h.clock.now() + Math.floor(n / 7),
        ann.id,
        ann.id,
      ]);
    const seen: string[] = [];
    for (let before: string | undefined; ;) {
      const query = before === undefined ? {} : { before };
      const page = await staff.api.adminUserDetails.activity({ params: { id: ann.id }, query });
      seen.push(...page.rows.map(({ id }) => id));
      if (page.older === null) break;
      before = page.older;
    }
    expect(seen.filter((id) => id.startsWith('a'))).toHaveLength(60);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('a ban rejects what waits only for staff who may, once, and a decided reward stays decided', async () => {
    await hold(ann, 12);
    await hold(ann, 30);
    const ban = (by: Person) =>
      ended(
        by.api.adminAccounts.ban({ params: { id: ann.id }, body: { reason: 'farming', days: 0, reject_held: true } }),
      );
    expect(await ban(staff)).toBe('FORBIDDEN');
    const status = async () => (await h.db.sql('SELECT status FROM users WHERE id = ?', [ann.id]))[0];
    expect(await status()).toEqual({ status: 'active' });
    const reviewer = await h.person('rev', { permissions: ['admin.users.edit', 'admin.rewards.held.edit'] });
    const ctx = await ctxOf(h, reviewer.secret);
    const [first] = await h.db.uow.read((tx) => tx.abuse.listOpen(ann.id));
    await h.host.services.abuse.decide(ctx, first?.id ?? '', 'release');
    expect(await ban(reviewer)).toBe('ok');
    expect(await status()).toEqual({ status: 'banned' });
    const states = await h.db.sql('SELECT amount, state FROM held_rewards ORDER BY amount');
    expect(states).toEqual([
      { amount: 12, state: 'released' },
      { amount: 30, state: 'rejected' },
    ]);
    expect(await h.balance(ann.id)).toBe(12);
    const bob = await h.person('bob');
    for (const amount of [1, 2, 3]) await hold(bob, amount);
    expect(await atOnce(5, () => h.host.services.abuse.rejectAllOf(ctx, bob.id))).toEqual({ ok: 5 });
    expect(await h.db.sql("SELECT id FROM ledger_transactions WHERE kind = 'reward.rejected'")).toHaveLength(4);
  });

  test('a fault after the ban is answered as a ban that is not complete, and the next try completes it', async () => {
    for (const amount of [12, 30]) await hold(ann, amount);
    const reviewer = await h.person('rev', { permissions: ['admin.users.edit', 'admin.rewards.held.edit'] });
    const body = { reason: 'farming', days: 0, reject_held: true };
    const ban = () => ended(reviewer.api.adminAccounts.ban({ params: { id: ann.id }, body }));
    const rejected = async () =>
      (await h.db.sql("SELECT amount FROM held_rewards WHERE state = 'rejected' ORDER BY amount")).map(
        (row) => row['amount'],
      );
    await h.db.sql('ALTER TABLE held_rewards RENAME TO held_rewards_away');
    expect(await ban()).toBe('BAN_INCOMPLETE');
    expect(await h.db.sql('SELECT status FROM users WHERE id = ?', [ann.id])).toEqual([{ status: 'banned' }]);
    await h.db.sql('ALTER TABLE held_rewards_away RENAME TO held_rewards');
    expect(await ban()).toBe('ok');
    expect(await rejected()).toEqual([12, 30]);
    expect(await h.balance(ann.id)).toBe(0);
  });

  test('orders and servers of one user alone are listed for those who may list them', async () => {
    const clerk = await h.person('clerk', { permissions: ['admin.payments.list', 'admin.servers.list'] });
    const payments = await clerk.api.adminPayments.list({ query: { user: ann.id } });
    expect(payments.paging.total).toBe(0);
    expect((await clerk.api.adminServers.list({ query: { owner: ann.id } })).rows).toEqual([]);
    expect(await ended(staff.api.adminPayments.list({ query: { user: ann.id } }))).toBe('FORBIDDEN');
  });
});
