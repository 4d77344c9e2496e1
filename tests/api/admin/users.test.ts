import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { toCredits } from '#shared/credits.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { ApiError } from '#shared/contract/client.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { createPeopleRepo } from '#server/data/repos/people.ts';
import { openDatabase } from '#server/data/open.ts';
import type { PeopleQuery } from '#server/modules/people/index.ts';
import { crowdId, fillCrowd } from '#tests/support/crowd.ts';
import { ENGINES, openTestDb } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { plansOf } from '#tests/support/plans.ts';
import { NO_NUMBERS } from '../crud-support.ts';

// Shows behaviour 8.3.

const NOBODY = '01890000-0000-7000-8000-000000000000';
/** How a call ended: its code, or `ok`. */
const ended = (call: Promise<unknown>): Promise<ErrorCode | 'ok'> =>
  call.then(
    () => 'ok' as const,
    (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error)),
  );
async function tally(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const end of await Promise.all(calls.map(ended))) counts[end] = (counts[end] ?? 0) + 1;
  return counts;
}

describe.each(ENGINES)('users for staff on %s', (engine) => {
  let harness: Harness;
  let staff: Person;
  let made = 0;
  const player = (credits = 0) => harness.person(`player${(made += 1)}`, { credits });
  const adjust = (id: string, direction: 'in' | 'out', amount: number, reason = 'a good reason', key?: string) =>
    staff.api.adminUsers.adjust({ params: { id }, body: { direction, amount, reason } }, key ? { key } : {});
  beforeAll(async () => {
    harness = await openHarness({ engine });
    staff = await harness.person('oana', { permissions: ['admin.users.list', 'admin.users.edit'] });
  }, 300_000);
  afterAll(() => harness.close());
  // The calls of one test are within the limit of a minute, those of all are not.
  beforeEach(() => void harness.clock.advance(MINUTE));

  test('T29 bots and shops find a user by their whole name, address or Discord account, and nobody deleted', async () => {
    const { api } = staff;
    const ida = await harness.person('ida.found', { credits: 70 });
    await harness.db.sql(
      "INSERT INTO linked_identities (id, user_id, provider, subject, name, scopes, tokens, version, refreshing_until_ms, linked_ms, updated_ms) VALUES (?, ?, 'discord', '112233445566778899', 'ida', '', NULL, 1, 0, 1, 1)",
      [ida.id.replace(/.$/, 'f'), ida.id],
    );
    const whole = { id: ida.id, username: 'ida.found', status: 'active', credits: 70, held: 0, debt: 0 };
    for (const query of [
      { login: 'IDA.found' },
      { login: 'ida.found@example.com' },
      { discord_id: '112233445566778899' },
    ])
      expect((await api.adminUsers.find({ query })).user).toMatchObject({ ...whole, discord_id: '112233445566778899' });
    for (const query of [{ login: 'ida.foun' }, { discord_id: '112233445566778890' }])
      expect(await ended(api.adminUsers.find({ query }))).toBe('NOT_FOUND');
    for (const query of [{}, { login: 'ida.found', discord_id: '112233445566778899' }, { discord_id: 'ida' }])
      expect(await ended(api.adminUsers.find({ query }))).toBe('VALIDATION_FAILED');
    await harness.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [ida.id]);
    expect(await ended(api.adminUsers.find({ query: { login: 'ida.found' } }))).toBe('NOT_FOUND');
  });

  test('T10 an order of a shop is credited once by its reference, whatever keys its calls have', async () => {
    const { id } = await player(10);
    const body = { direction: 'in', amount: 40, reason: 'Order 77', reference: 'shop:77' } as const;
    expect(await staff.api.adminUsers.adjust({ params: { id }, body })).toEqual({
      success: true,
      error_code: null,
      balance: 50,
    } as never);
    expect(await staff.api.adminUsers.adjust({ params: { id }, body })).toMatchObject({ balance: 50, repeated: true });
    expect(await ended(staff.api.adminUsers.adjust({ params: { id }, body: { ...body, amount: 41 } }))).toBe(
      'DUPLICATE_REFERENCE',
    );
    expect(await ended(staff.api.adminUsers.adjust({ params: { id }, body: { ...body, reference: 'a b' } }))).toBe(
      'VALIDATION_FAILED',
    );
    expect(await harness.balance(id)).toBe(50);
  });

  test('the list is searched by the beginning of name, address or by id, sorted and filtered', async () => {
    const { api } = staff;
    const [rich, poor] = [await harness.person('zoe.rich', { credits: 900 }), await harness.person('zoe.poor')];
    const names = async (query: Record<string, string>) =>
      (await api.adminUsers.list({ query })).rows.map(({ username }) => username);
    expect((await names({ q: 'ZOE.' })).sort()).toEqual(['zoe.poor', 'zoe.rich']);
    expect(await names({ q: 'zoe.rich@exa' })).toEqual(['zoe.rich']);
    expect(await names({ q: poor.id })).toEqual(['zoe.poor']);
    expect(await names({ q: 'oe.rich' })).toEqual([]);
    expect(await names({ q: 'zoe', sort: '-credits' })).toEqual(['zoe.rich', 'zoe.poor']);
    expect(await names({ q: 'zoe', sort: 'credits' })).toEqual(['zoe.poor', 'zoe.rich']);
    expect(await names({ q: 'zoe', sort: 'username' })).toEqual(['zoe.poor', 'zoe.rich']);
    expect((await names({ sort: '-credits' })).length).toBe((await names({ sort: 'username' })).length);
    const { roles } = await api.adminUsers.list();
    const own = roles.find(({ name }) => name === 'role-oana');
    expect(await names({ role: own?.id ?? '' })).toEqual(['oana']);
    const [row] = (await api.adminUsers.list({ query: { q: 'zoe.rich' } })).rows;
    expect(row).toMatchObject({ id: rich.id, credits: 900, debt: 0, status: 'active', role: { name: 'Member' } });
    expect(row?.seen_at).not.toBeNull();
    for (const text of ['%', '_', "' OR 1=1 --", '\\']) expect(await names({ q: text })).toEqual([]);
  });

  test('who owes, whose address is not confirmed, and who is banned is found by a filter', async () => {
    const owing = await player();
    await harness.db.uow.run((tx) =>
      harness.host.services.ledger.chargeBack(tx, {
        userId: owing.id,
        amount: 70,
        destination: 'system:payment.stripe',
        kind: 'payment.refund',
        reference: `t:${owing.id}`,
      }),
    );
    const listed = await staff.api.adminUsers.list({ query: { debt: 'true' } });
    expect(listed.rows.map(({ id, debt }) => ({ id, debt }))).toEqual([{ id: owing.id, debt: 70 }]);
    expect((await staff.api.adminUsers.list({ query: { debt: 'false', q: owing.username } })).rows).toEqual([]);
    const pending = await player();
    await harness.db.sql('UPDATE users SET verified_ms = NULL WHERE id = ?', [pending.id]);
    expect((await staff.api.adminUsers.list({ query: { unverified: 'true' } })).rows.map(({ id }) => id)).toEqual([
      pending.id,
    ]);
    const banned = await player();
    await harness.db.sql("UPDATE users SET status = 'banned', ban_reason = 'spam' WHERE id = ?", [banned.id]);
    expect((await staff.api.adminUsers.list({ query: { status: 'banned' } })).rows.map(({ id }) => id)).toEqual([
      banned.id,
    ]);
    expect(await staff.api.adminUsers.get({ params: { id: banned.id } })).toMatchObject({
      status: 'banned',
      ban_reason: 'spam',
      debt: 0,
    });
    // Nothing can be taken from somebody who owes.
    expect(await ended(adjust(owing.id, 'out', 1))).toBe('SPENDING_BLOCKED');
  });

  test('an adjustment is a transaction with a reason, in the audit log, and the user is notified', async () => {
    const user = await player(100);
    expect(await adjust(user.id, 'in', 50, 'Backup of 9 Nov was lost')).toMatchObject({ balance: 150 });
    expect(await adjust(user.id, 'out', 30, 'Given by mistake')).toMatchObject({ balance: 120 });
    const { rows } = await user.api.account.statement();
    expect(
      rows
        .slice(0, 2)
        .map(({ kind, amount, reason, actor, reference }) => ({ kind, amount, reason, actor, reference })),
    ).toEqual([
      { kind: 'adjustment', amount: -30, reason: 'Given by mistake', actor: null, reference: null },
      { kind: 'adjustment', amount: 50, reason: 'Backup of 9 Nov was lost', actor: null, reference: null },
    ]);
    const seen = await staff.api.adminUsers.statement({ params: { id: user.id } });
    expect(seen.rows[0]).toMatchObject({
      amount: -30,
      actor: 'oana',
      reference: expect.stringMatching(/^adjustment:/),
    });
    const { notifications } = await user.api.notifications.list();
    expect(notifications.map(({ kind, data }) => ({ kind, data }))).toEqual([
      { kind: 'adjustmentOut', data: { cost: 30, reason: 'Given by mistake' } },
      { kind: 'adjustmentIn', data: { cost: 50, reason: 'Backup of 9 Nov was lost' } },
    ]);
    const trail = await harness.db.sql<{ actor_id: string; before: string; after: string }>(
      "SELECT actor_id, before, after FROM audit WHERE action = 'users.adjust' AND target = ? ORDER BY id",
      [user.id],
    );
    expect(
      trail.map((row) => [
        row.actor_id,
        (JSON.parse(row.before) as { credits: number }).credits,
        (JSON.parse(row.after) as { credits: number }).credits,
      ]),
    ).toEqual([
      [staff.id, 100, 150],
      [staff.id, 150, 120],
    ]);
  });

  test('nobody adjusts their own wallet, neither way, but who may do everything, and that stands in the audit log', async () => {
    expect(await ended(adjust(staff.id, 'in', 5))).toBe('FORBIDDEN');
    expect(await ended(adjust(staff.id, 'out', 5))).toBe('FORBIDDEN');
    expect(await harness.balance(staff.id)).toBe(0);
    const owner = await harness.person('the.owner', { permissions: ['admin.root'] });
    const body = { direction: 'in', amount: 5, reason: 'For the test of it' } as const;
    expect(await owner.api.adminUsers.adjust({ params: { id: owner.id }, body })).toMatchObject({ balance: 5 });
    const trail = await harness.db.sql<{ actor_id: string; target: string }>(
      "SELECT actor_id, target FROM audit WHERE action = 'users.adjust' AND actor_id = target",
    );
    expect(trail).toEqual([{ actor_id: owner.id, target: owner.id }]);
  });

  test('T1 fifty adjustments at once take no more than there is, and a wallet never goes below zero', async () => {
    const user = await player(90);
    expect(await tally(Array.from({ length: 50 }, () => adjust(user.id, 'out', 10)))).toEqual({
      ok: 9,
      INSUFFICIENT_CREDITS: 41,
    });
    expect(await harness.balance(user.id)).toBe(0);
    harness.clock.advance(MINUTE);
    expect(await tally(Array.from({ length: 50 }, () => adjust(user.id, 'in', 3)))).toEqual({ ok: 50 });
    expect(await harness.balance(user.id)).toBe(150);
  });

  test('T1 the same adjustment sent fifty times with one key happens once, and with another amount it is refused', async () => {
    const user = await player();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => adjust(user.id, 'in', 25, 'only once', 'key-once-1')),
    );
    expect(new Set(answers.map(({ balance }) => balance))).toEqual(new Set([25]));
    expect(await harness.balance(user.id)).toBe(25);
    expect(await ended(adjust(user.id, 'in', 26, 'only once', 'key-once-1'))).toBe('IDEMPOTENCY_MISMATCH');
  });

  test('T4 an amount that is none, no reason, or somebody who is not there is refused', async () => {
    const user = await player(10);
    const post = async (body: unknown, id = user.id) => {
      const response = await harness.http(`/api/admin/users/${id}/adjust`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          Cookie: `__Host-spawnpoint=${staff.secret}`,
          Origin: 'http://127.0.0.1',
          'Content-Type': 'application/json',
        },
      });
      return response.status;
    };
    for (const amount of [...NO_NUMBERS, 0, 1_000_000_001])
      expect({ amount, status: await post({ direction: 'in', amount, reason: 'good' }) }).toEqual({
        amount,
        status: 422,
      });
    for (const reason of ['', '  ', 'ab', 5, 'a'.repeat(201), 'bad\u0000'])
      expect({ reason, status: await post({ direction: 'in', amount: 1, reason }) }).toEqual({ reason, status: 422 });
    expect(await post({ direction: 'sideways', amount: 1, reason: 'good' })).toBe(422);
    expect(await post({ direction: 'in', amount: 1, reason: 'good', user_id: NOBODY })).toBe(422);
    expect(await post({ direction: 'in', amount: 1, reason: 'good' }, NOBODY)).toBe(404);
    await harness.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [user.id]);
    expect(await post({ direction: 'in', amount: 1, reason: 'good' })).toBe(409);
    expect(await harness.balance(user.id)).toBe(10);
  });

  test('T10 an adjustment whose audit row cannot be written moves nothing', async () => {
    const user = await player(10);
    const { people } = harness.host.services;
    const ctx = {
      actor: { userId: staff.id, sessionId: 's', username: 'oana', permissions: [], verified: true },
      requestId: 'r',
      locale: 'en',
      address: '',
      userAgent: '',
      idempotency: null,
    } as const;
    await harness.db.sql('ALTER TABLE audit RENAME TO audit_away');
    await expect(people.adjust(ctx, user.id, { amount: 5, reason: 'never' })).rejects.toThrow();
    await harness.db.sql('ALTER TABLE audit_away RENAME TO audit');
    expect(await harness.balance(user.id)).toBe(10);
    expect((await user.api.notifications.list()).notifications).toEqual([]);
  });

  test('T1 a purchase is refunded once, however many ask at once, and credits return and the limit goes down', async () => {
    const user = await player(1000);
    const { items } = await user.api.store.items();
    const memory = items.find(({ kind }) => kind === 'memory');
    await user.api.store.buy({ body: { item_id: memory?.id ?? '', units: 2, price: memory?.price ?? 0 } });
    const [purchase] = (await staff.api.adminUsers.get({ params: { id: user.id } })).purchases;
    const params = { id: user.id, purchase: purchase?.id ?? '' };
    expect(await tally(Array.from({ length: 50 }, () => staff.api.adminUsers.refund({ params })))).toEqual({
      ok: 1,
      ALREADY_REFUNDED: 49,
    });
    expect(await harness.balance(user.id)).toBe(1000);
    const view = await staff.api.adminUsers.get({ params: { id: user.id } });
    expect({ limit: view.limits.memory.limit, balance: view.balance, at: view.purchases[0]?.refunded_at }).toEqual({
      limit: 1024,
      balance: 1000,
      at: new Date(harness.clock.now()).toISOString(),
    });
    expect((await user.api.notifications.list()).notifications.map(({ kind, data }) => ({ kind, data }))).toEqual([
      { kind: 'purchaseRefunded', data: { cost: purchase?.total ?? 0 } },
    ]);
    expect((await user.api.store.items()).purchases[0]?.refunded).toBe(true);
  });

  test('T24 a purchase is refunded only on the page of who made it, and not while it is in use', async () => {
    const [user, other] = [await player(1000), await player()];
    const { items } = await user.api.store.items();
    const memory = items.find(({ kind }) => kind === 'memory');
    await user.api.store.buy({ body: { item_id: memory?.id ?? '', units: 1, price: memory?.price ?? 0 } });
    const [purchase] = (await staff.api.adminUsers.get({ params: { id: user.id } })).purchases;
    expect(await ended(staff.api.adminUsers.refund({ params: { id: other.id, purchase: purchase?.id ?? '' } }))).toBe(
      'NOT_FOUND',
    );
    expect(await ended(staff.api.adminUsers.refund({ params: { id: user.id, purchase: NOBODY } }))).toBe('NOT_FOUND');
    await harness.db.sql(
      `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
         revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms)
       VALUES (?, ?, 'n', '', 'l', 'c', 'e', 2048, 512, 50, 1, 0, 0, '{}', 'active', 'running', 1, 1, 0, 0, 0, 1, 1)`,
      [crypto.randomUUID(), user.id],
    );
    expect(await ended(staff.api.adminUsers.refund({ params: { id: user.id, purchase: purchase?.id ?? '' } }))).toBe(
      'PURCHASE_IN_USE',
    );
    expect(await harness.balance(user.id)).toBe(850);
  });

  test('the statement is filtered as the account page filters it, and exported with who acted; T29 no cell runs', async () => {
    const user = await player(5);
    await adjust(user.id, 'in', 7, '=HYPERLINK("http://x","y")');
    const params = { id: user.id };
    expect((await staff.api.adminUsers.statement({ params, query: { direction: 'out' } })).rows).toEqual([]);
    expect(
      (await staff.api.adminUsers.statement({ params, query: { kind: 'adjustment', per_page: '1' } })).paging,
    ).toMatchObject({ per_page: 1, newer: null, older: expect.any(String) });
    const response = await harness.http(`/api/admin/users/${user.id}/statement.csv`, {
      headers: { Cookie: `__Host-spawnpoint=${staff.secret}` },
    });
    const [head, first] = (await response.text()).replace('\uFEFF', '').split('\r\n');
    expect(head).toBe('date,kind,subject,amount,balance_after,counterpart,id,reason,actor,reference');
    expect(first).toContain('"\'=HYPERLINK(""http://x"",""y"")",oana,adjustment:');
    expect(await ended(staff.api.adminUsers.statement({ params: { id: NOBODY } }))).toBe('NOT_FOUND');
    const own = await harness.http('/api/account/statement.csv', {
      headers: { Cookie: `__Host-spawnpoint=${user.secret}` },
    });
    expect((await own.text()).replace('\uFEFF', '').split('\r\n')[0]).toBe(
      'date,kind,subject,amount,balance_after,counterpart,id,reason',
    );
  });

  test('a line says what it reverses, and leads to the server it is about while that exists', async () => {
    const user = await player(500);
    const { ledger } = harness.host.services;
    const serverId = crypto.randomUUID();
    const renewed = await harness.db.uow.run((tx) =>
      ledger.transfer(tx, {
        kind: 'server.renew',
        reference: `renew:${serverId}:1`,
        subject: 'guild-hall',
        postings: [{ source: `user:${user.id}`, destination: 'system:renewal', amount: toCredits(100) }],
      }),
    );
    harness.clock.advance(DAY);
    await harness.db.uow.run((tx) => ledger.reverse(tx, renewed.id, { reason: 'paid twice', actor: staff.id }));
    const { rows } = await user.api.account.statement();
    expect(rows[0]).toMatchObject({
      kind: 'reversal',
      amount: 100,
      reason: 'paid twice',
      undoes: { kind: 'server.renew', at: new Date(harness.clock.now() - DAY).toISOString() },
    });
    expect(rows[1]).toMatchObject({ kind: 'server.renew', subject: 'guild-hall', ref: null });
    await harness.db.sql(
      `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
         revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms)
       VALUES (?, ?, 'guild-hall', '', 'l', 'c', 'e', 1, 1, 1, 1, 0, 0, '{}', 'active', 'running', 1, 1, 0, 0, 0, 1, 1)`,
      [serverId, user.id],
    );
    expect((await user.api.account.statement()).rows[1]?.ref).toBe(serverId);
  });
});

test('every filter of the list of users has an index behind it in every order', async () => {
  const db = await openTestDb();
  const base = { limit: 25, nowMs: 0, byAddress: true } as const;
  const filters: readonly Partial<PeopleQuery>[] = [
    {},
    { roleId: 'r' },
    { status: 'banned' },
    { unverified: true },
    { factor: false },
    { unspent: true },
  ];
  const asked = filters.flatMap((filter) => [
    ...(['username', 'created', 'seen'] as const).map((sort) => ({ ...base, ...filter, sort, dir: 'desc' as const })),
    ...(Object.keys(filter).length === 0 ? [{ ...base, sort: 'credits' as const, dir: 'asc' as const }] : []),
  ]);
  const plans = await plansOf(db, async (kysely, raw) => {
    for (const query of asked) await createPeopleRepo(kysely, raw).list(query);
  });
  const searched = await plansOf(db, async (kysely, raw) => {
    const place = { kind: 'address', value: 'keyed' } as const;
    for (const search of ['mir', '203.0.113.7', '480317', '123456789012345678'])
      await createPeopleRepo(kysely, raw).list({ ...base, sort: 'created', dir: 'desc', search, place });
  });
  await db.close();
  // A whole table is read only along an index that has it in order (or has all that is counted), never as it lies.
  expect([...plans, ...searched].filter(({ plan }) => /^SCAN (u|b)$/m.test(plan))).toEqual([]);
  const ordered = plans.filter(({ sql }) => sql.includes('ORDER BY'));
  expect([asked.length, ordered.length]).toEqual([19, 19]);
  expect(ordered.filter(({ plan }) => plan.includes('USE TEMP B-TREE'))).toEqual([]);
});

test('users are counted up to 1,000; the few that fit a filter are found, counted and sorted in every order', async () => {
  const db = await openTestDb();
  await db.sql(
    "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES ('r', NULL, 'Member', '#888888', 1, 1, 0, 0)",
  );
  await db.database.close();
  const path = 'path' in db.where ? db.where.path : '';
  fillCrowd(path, { users: 1500, movements: 3 });
  const database = openDatabase({ path, bus: db.bus, log: db.log });
  await database.write(({ raw }) =>
    raw.run("UPDATE users SET status = 'banned' WHERE id IN (?, ?, ?)", [crowdId(0), crowdId(1), crowdId(1499)]),
  );
  const listed = (query: Partial<PeopleQuery>) =>
    database.uow.read((tx) =>
      tx.people.list({ sort: 'credits', dir: 'desc', limit: 25, nowMs: 0, byAddress: true, ...query }),
    );
  const facts = async (query: Partial<PeopleQuery>) => {
    const { rows, total, isMore } = await listed(query);
    return [rows.length, total, isMore];
  };
  expect(await facts({})).toEqual([25, 1000, true]);
  expect(await facts({ status: 'active', sort: 'username' })).toEqual([25, 1000, true]);
  expect(await facts({ status: 'banned' })).toEqual([3, 3, false]);
  const names = async (query: Partial<PeopleQuery>) =>
    (await listed({ status: 'banned', ...query })).rows.map(({ username }) => username);
  // The first of the crowd has three movements, the others one.
  expect(await names({})).toEqual(['crowd0000000', 'crowd0001499', 'crowd0000001']);
  expect(await names({ dir: 'asc' })).toEqual(['crowd0000001', 'crowd0001499', 'crowd0000000']);
  expect(await names({ sort: 'username', dir: 'desc', limit: 2 })).toEqual(['crowd0001499', 'crowd0000001']);
  const after = { value: 'crowd0000001', id: crowdId(1) };
  expect(await names({ sort: 'username', dir: 'asc', after })).toEqual(['crowd0001499']);
  await database.close();
  await db.close();
}, 300_000);
