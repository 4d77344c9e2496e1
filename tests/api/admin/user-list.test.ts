import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { migrate } from '#server/data/migrate.ts';
import type { PeopleCursor, UserListQuery } from '#server/modules/people/index.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { ApiError } from '#shared/contract/client.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { withMigrations } from '#tests/support/migrations.ts';

// Shows behaviour 8.3: the list of users, by every filter in every order.
setDefaultTimeout(300_000);

type Facts = Readonly<Record<'username_key' | 'created_ms' | 'seen_ms' | 'balance', string | number>> & {
  readonly id: string;
  readonly role_id: string;
  readonly status: string;
  readonly verified_ms: number | null;
  readonly factor: number;
  readonly spent: number;
};
const SORTS = { username: 'username_key', credits: 'balance', created: 'created_ms', seen: 'seen_ms' } as const;
const PEOPLE = 13;

describe.each(ENGINES)('the list of users on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let roles: { vip: string; member: string };
  let everybody: Facts[];
  beforeAll(async () => {
    h = await openHarness({ engine });
    staff = await h.person('oana', { permissions: ['admin.users.list', 'admin.users.edit'] });
    const known = (await staff.api.adminUsers.list()).roles;
    const idOf = (name: string) => known.find((role) => role.name === name)?.id ?? '';
    roles = { vip: idOf('VIP'), member: idOf('Member') };
    const now = h.clock.now();
    for (let i = 0; i < PEOPLE; i += 1) {
      const { id } = await h.person(`user${String((i * 7) % PEOPLE).padStart(2, '0')}`, { credits: i % 3 });
      await h.db.sql(
        'UPDATE users SET role_id = ?, status = ?, verified_ms = ?, factor = ?, spent = ?, created_ms = ?, seen_ms = ? WHERE id = ?',
        [
          i % 3 === 0 ? roles.vip : roles.member,
          ['banned', 'active', 'active', 'deleted'][i % 4] ?? 'active',
          i % 5 < 2 ? null : now,
          i % 2,
          i % 4 < 2 ? 0 : 1,
          // Some moments are those of several users.
          now - (i % 5) * DAY,
          [0, now - HOUR, now - 20 * DAY, now - 90 * DAY, now - 91 * DAY][i % 5] ?? 0,
          id,
        ],
      );
    }
  });
  // Some tests add users, or have them seen.
  beforeEach(async () => {
    everybody = await h.db.sql<Facts>(
      "SELECT u.id, username_key, u.created_ms, seen_ms, balance, role_id, status, verified_ms, factor, spent FROM users u JOIN ledger_balances b ON b.account = 'user:' || u.id",
    );
  });
  afterAll(() => h.close());

  /** Ids of those who fit, in an order, as they are without any index. */
  function expected(fits: (facts: Facts) => boolean, { sort, dir }: Pick<UserListQuery, 'sort' | 'dir'>): string[] {
    const key = SORTS[sort];
    const sign = dir === 'asc' ? 1 : -1;
    const placeIn = ({ id, [key]: value }: Facts) =>
      `${typeof value === 'number' ? String(value).padStart(16, '0') : value}~${id}`;
    return everybody
      .filter(fits)
      .sort((a, b) => (placeIn(a) < placeIn(b) ? -sign : sign))
      .map(({ id }) => id);
  }

  /** Ids of all pages of a question, turned forwards from the first, and backwards from the last. */
  async function turned(query: Omit<UserListQuery, 'limit'>): Promise<{ there: string[]; back: string[] }> {
    const { people } = h.host.services;
    const [there, back]: [string[], string[]] = [[], []];
    let after: PeopleCursor | undefined;
    let last: PeopleCursor | undefined;
    for (;;) {
      const page = await people.list({ ...query, after, limit: 4 });
      there.push(...page.rows.map(({ id }) => id));
      last = page.rows[0]?.cursor;
      if (!page.hasAfter) break;
      after = page.rows.at(-1)?.cursor;
    }
    back.unshift(...there.slice(there.findIndex((id) => id === last?.id)));
    for (let before = last; before && back.length < there.length;) {
      const page = await people.list({ ...query, before, limit: 4 });
      // In front of a rest that is no full page stands the first page.
      back.unshift(...page.rows.map(({ id }) => id).filter((id) => !back.includes(id)));
      before = page.rows[0]?.cursor;
    }
    return { there, back };
  }

  const FILTERS: Readonly<Record<string, () => [Partial<UserListQuery>, (facts: Facts) => boolean]>> = {
    'no filter': () => [{}, () => true],
    'a role': () => [{ roleId: roles.vip }, ({ role_id }) => role_id === roles.vip],
    'those banned': () => [{ status: 'banned' }, ({ status }) => status === 'banned'],
    'those active': () => [{ status: 'active' }, ({ status }) => status === 'active'],
    'an address not confirmed': () => [{ unverified: true }, ({ verified_ms }) => verified_ms === null],
    'a second factor': () => [{ factor: true }, ({ factor }) => factor === 1],
    'no second factor': () => [{ factor: false }, ({ factor }) => factor === 0],
    'nothing spent': () => [{ unspent: true }, ({ spent }) => spent === 0],
    'several at once': () => [
      { roleId: roles.vip, factor: false, unspent: true },
      ({ role_id, factor, spent }) => role_id === roles.vip && factor === 0 && spent === 0,
    ],
    'a search': () => [{ search: 'user0' }, ({ username_key }) => String(username_key).startsWith('user0')],
  };
  test.each(Object.keys(FILTERS))(
    'the list narrowed to %s is whole in every order, forwards and backwards',
    async (name) => {
      const [filter, fits] = FILTERS[name]?.() ?? [{}, () => false];
      for (const sort of ['username', 'credits', 'created', 'seen'] as const) {
        for (const dir of ['asc', 'desc'] as const) {
          const wanted = expected(fits, { sort, dir });
          expect({ sort, dir, ...(await turned({ ...filter, sort, dir })) }).toEqual({
            sort,
            dir,
            there: wanted,
            back: wanted,
          });
        }
      }
    },
  );

  test.each([
    ['week', ({ seen_ms }: Facts, now: number) => Number(seen_ms) >= now - 7 * DAY],
    ['month', ({ seen_ms }: Facts, now: number) => Number(seen_ms) >= now - 30 * DAY],
    ['away', ({ seen_ms }: Facts, now: number) => Number(seen_ms) > 0 && Number(seen_ms) < now - 90 * DAY],
    ['never', ({ seen_ms }: Facts) => seen_ms === 0],
  ] as const)(
    'users last seen in the span %s are listed in the order of it, also within a role',
    async (seen, fits) => {
      const now = h.clock.now();
      for (const roleId of [undefined, roles.member]) {
        for (const dir of ['asc', 'desc'] as const) {
          const wanted = expected((facts) => fits(facts, now) && (roleId ?? facts.role_id) === facts.role_id, {
            sort: 'seen',
            dir,
          });
          expect(wanted.length).toBeGreaterThan(0);
          // Whatever order is asked for, a span of "last seen" goes with its own.
          expect(await turned({ seen, roleId, sort: 'username', dir })).toEqual({ there: wanted, back: wanted });
        }
      }
    },
  );

  test('a cursor from beyond the span gives the page at its end, and one of another order is refused', async () => {
    const { adminUsers } = staff.api;
    const now = h.clock.now();
    const beyond = { seen: 'away', sort: 'seen_at', after: `${-1}~${staff.id}` } as const;
    const away = (await adminUsers.list({ query: { seen: 'away', sort: 'seen_at' } })).rows.map(({ id }) => id);
    expect((await adminUsers.list({ query: beyond })).rows.map(({ id }) => id)).toEqual(away);
    const newest = { seen: 'away', after: `${now}~${staff.id}` } as const;
    expect((await adminUsers.list({ query: newest })).rows.map(({ id }) => id)).toEqual(away.toReversed());
    const wrong = adminUsers.list({ query: { sort: '-credits', after: `user01~${staff.id}` } });
    expect(await wrong.catch((error: unknown) => (error instanceof ApiError ? error.fields : error))).toEqual({
      after: ['INVALID'],
    });
    for (const after of ['x', `1~${staff.id}~`, "1~' OR 1=1 --"])
      expect(await adminUsers.list({ query: { after } }).catch((error: ApiError) => error.code)).toBe(
        'VALIDATION_FAILED',
      );
  });

  test('the answer counts, names the neighbouring pages, and they lead there and back', async () => {
    const { adminUsers } = staff.api;
    const query = { sort: 'username', per_page: '5' } as const;
    const first = await adminUsers.list({ query });
    const usernames = everybody.map(({ username_key }) => String(username_key)).toSorted();
    expect(usernames.length).toBeGreaterThan(PEOPLE);
    expect(first.paging).toMatchObject({ per_page: 5, total: usernames.length, more: false, before: null });
    const second = await adminUsers.list({ query: { ...query, after: first.paging.after ?? '' } });
    expect(second.rows.map(({ username }) => username)).toEqual(usernames.slice(5, 10));
    const back = await adminUsers.list({ query: { ...query, before: second.paging.before ?? '' } });
    expect(back).toEqual(first);
  });

  test('T29 the export has all who fit, once each, no formula, and is in the audit log', async () => {
    const evil = await h.person('user.evil');
    await h.db.sql("UPDATE users SET email = '=HYPERLINK(1)' WHERE id = ?", [evil.id]);
    const get = async (search: string) => {
      const response = await h.http(`/api/admin/users/export.csv${search}`, {
        headers: { Cookie: `${SESSION_COOKIE}=${staff.secret}` },
      });
      expect(response.headers.get('content-disposition')).toMatch(/users-\d{4}-\d{2}-\d{2}\.csv/);
      return (await response.text()).split('\r\n');
    };
    const [head, ...lines] = await get('?q=user.&sort=username');
    expect(head?.replace('\uFEFF', '')).toBe(
      'id,username,email,verified,role,status,credits,debt,spent,factor,created_at,seen_at',
    );
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain(`${evil.id},user.evil,"'=HYPERLINK(1)",true,Member,active,0,0,false,false,`);
    const all = (await get('')).slice(1, -1).map((line) => line.slice(0, 36));
    expect([all.length, new Set(all).size]).toEqual([everybody.length + 1, everybody.length + 1]);
    // Those who were selected, in the order of the list, whatever else it is narrowed to.
    const selected = [evil.id, all.find((each) => each !== evil.id) ?? ''];
    const chosen = (await get(`?ids=${selected.join(',')}&q=nobody`)).slice(1, -1).map((line) => line.slice(0, 36));
    expect(chosen.toSorted()).toEqual(selected.toSorted());
    for (const ids of ['', 'x', `${evil.id},`, Array.from({ length: 101 }, () => evil.id).join(',')]) {
      const refused = await h.http(`/api/admin/users/export.csv?ids=${ids}`, {
        headers: { Cookie: `${SESSION_COOKIE}=${staff.secret}` },
      });
      expect([ids.slice(0, 40), refused.status]).toEqual([ids.slice(0, 40), 422]);
    }
    const audits = await h.db.sql<{ after: string }>(
      "SELECT after FROM audit WHERE action = 'users.export' ORDER BY id",
    );
    expect(audits.map(({ after }) => JSON.parse(after) as unknown)).toEqual([
      { users: '1' },
      { users: String(everybody.length + 1) },
      { users: '2' },
    ]);
    await h.db.sql('DELETE FROM sessions WHERE user_id = ?', [evil.id]);
  });

  test('what the filters go by follows what users do: log-ins, the second factor, payments', async () => {
    const ann = await h.person('zz.ann', { credits: 50 });
    const row = async () => (await staff.api.adminUsers.list({ query: { q: 'zz.ann' } })).rows[0];
    const { uow } = h.db;
    const { ledger } = h.host.services;
    expect(await row()).toMatchObject({ spent: false, factor: false });
    const before = (await row())?.seen_at;
    h.clock.advance(10 * MINUTE);
    await ann.api.account.get();
    expect(Date.parse((await row())?.seen_at ?? '') - Date.parse(before ?? '')).toBe(10 * MINUTE);
    const pay = (kind: string, amount: number) =>
      uow.run((tx) =>
        ledger.transfer(tx, {
          kind,
          reference: `t:${kind}`,
          postings: [{ source: `user:${ann.id}`, destination: 'system:store', amount: toCredits(amount) }],
        }),
      );
    await pay('gift.fee', 1);
    expect((await row())?.spent).toBe(false);
    const { holdId } = await uow.run((tx) =>
      ledger.hold(tx, {
        userId: ann.id,
        amount: toCredits(5),
        kind: 'server.start',
        reference: 't:hold',
        subject: 's',
      }),
    );
    expect((await row())?.spent).toBe(false);
    await uow.run((tx) =>
      ledger.capture(tx, holdId, {
        destination: 'system:renewal',
        kind: 'server.renew',
        reference: 't:renew',
        subject: 's',
      }),
    );
    expect((await row())?.spent).toBe(true);
    const factor = {
      userId: ann.id,
      secret: 's',
      enabledMs: 1,
      lastStep: 0,
      pending: null,
      pendingMs: null,
      pendingSession: null,
    };
    await uow.run((tx) => tx.factors.save({ ...factor, enabledMs: null, secret: null }));
    expect((await row())?.factor).toBe(false);
    await uow.run((tx) => tx.factors.save(factor));
    expect((await row())?.factor).toBe(true);
    await uow.run((tx) => tx.factors.remove(ann.id));
    expect((await row())?.factor).toBe(false);
    const role = await uow.run((tx) => tx.access.defaultRole());
    await uow.run((tx) =>
      tx.deletions.erase(ann.id, { username: 'gone', email: 'gone@x.test', roleId: role.id }, h.clock.now()),
    );
    expect((await staff.api.adminUsers.list({ query: { q: 'gone' } })).rows[0]).toMatchObject({
      seen_at: null,
      factor: false,
    });
  });
});

test.each(ENGINES)('users of before the list are found by what they did until then (%s)', (kind) =>
  withMigrations(
    kind,
    (name) => name < '0047',
    async (engine) => {
      await engine.write(async ({ raw }) => {
        await raw.run(
          "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES ('r', NULL, 'Member', '#888888', 1, 1, 0, 0)",
        );
        for (const id of ['a', 'b', 'c'])
          await raw.run(
            `INSERT INTO users (id, username, username_key, email, email_key, password_hash, first_name, last_name, role_id, locale, status, terms_ms, password_version, created_ms, updated_ms)
             VALUES (?, ?, ?, ?, ?, '-', 'A', 'B', 'r', 'en', 'active', 1, 1, 1, 1)`,
            [id, id, id, id, id],
          );
        for (const [id, seen] of [
          ['s1', 5],
          ['s2', 9],
        ] as const)
          await raw.run(
            "INSERT INTO sessions (id, user_id, token_hash, device, user_agent, address, created_ms, seen_ms, expires_ms) VALUES (?, 'a', ?, '', '', '', 1, ?, 99)",
            [id, id, seen],
          );
        await raw.run(
          "INSERT INTO second_factors (user_id, secret, enabled_ms, last_step) VALUES ('a', 's', 1, 0), ('b', NULL, NULL, 0)",
        );
        for (const [tx, source, of] of [
          ['t1', 'user:b', 'store.buy'],
          ['t2', 'hold:a', 'server.renew'],
          ['t3', 'user:c', 'gift'],
        ] as const) {
          await raw.run('INSERT INTO ledger_transactions (id, kind, reference, created_ms) VALUES (?, ?, ?, 1)', [
            tx,
            of,
            tx,
          ]);
          await raw.run(
            "INSERT INTO ledger_postings (tx_id, seq, source, destination, amount, source_after, destination_after, created_ms, kind) VALUES (?, 0, ?, 'system:store', 1, 0, 1, 1, ?)",
            [tx, source, of],
          );
        }
      });
      await migrate(engine, TEST_START);
      expect(
        await engine.read(({ raw }) => raw.all('SELECT id, seen_ms, factor, spent FROM users ORDER BY id')),
      ).toEqual([
        { id: 'a', seen_ms: 9, factor: 1, spent: 1 },
        { id: 'b', seen_ms: 0, factor: 0, spent: 1 },
        { id: 'c', seen_ms: 0, factor: 0, spent: 0 },
      ]);
    },
  ),
);
