import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { ListedPayment, OrderFilter, OrderQuery } from '#server/modules/payments/ports.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';

setDefaultTimeout(300_000);

const id = (kind: number, n: number) => `0190a000-0000-7000-8000-${kind}${String(n).padStart(11, '0')}`;
const BUYERS = ['bob', 'bobby', 'carla'];
/** Currencies with two digits, none and three, and how many thousandths one of their minor units is. */
const CURRENCIES = [
  { currency: 'EUR', thousandths: 10 },
  { currency: 'JPY', thousandths: 1000 },
  { currency: 'KWD', thousandths: 1 },
  { currency: 'USD', thousandths: 10 },
] as const;
const currencyOf = (n: number) => CURRENCIES[n % 4] ?? CURRENCIES[0];
/** Orders here, and payments elsewhere; several in the same millisecond, and some of which nobody knows when. */
const ORDERS = Array.from({ length: 40 }, (_, n) => ({
  id: id(1, n),
  user: BUYERS[n % 3],
  at: 1000 + n * 3,
  amount: 100 + ((n * 37) % 40) * 25,
  ...currencyOf(n),
}));
const IMPORTED = Array.from({ length: 35 }, (_, n) => ({
  id: id(2, n),
  user: BUYERS[n % 3],
  at: n % 10 === 9 ? null : 1000 + n * 4,
  amount: n % 7 === 6 ? null : 50 + ((n * 13) % 35) * 40,
  ...currencyOf(n),
}));
type Line = { readonly id: string; readonly user: string | undefined; readonly at: number; readonly amount: number };
const ALL: readonly Line[] = [...ORDERS, ...IMPORTED].map((each) => ({
  ...each,
  at: each.at ?? 0,
  amount: (each.amount ?? 0) * each.thousandths,
}));

describe.each(ENGINES)('the list of all payments on %s', (engine) => {
  let db: TestDb;
  beforeAll(async () => {
    db = await openTestDb(engine);
    await db.sql(
      "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES ('r', NULL, 'Member', '#888888', 1, 1, 0, 0)",
    );
    for (const name of BUYERS)
      await db.sql(
        `INSERT INTO users (id, username, username_key, email, email_key, password_hash, first_name, last_name, role_id, locale, status, terms_ms, password_version, created_ms, updated_ms)
         VALUES (?, ?, ?, ?, ?, '', '', '', 'r', 'en', 'active', 0, 0, 0, 0)`,
        [name, name, name, `${name}@mail.example`, `${name}@mail.example`],
      );
    for (const each of ORDERS)
      await db.sql(
        `INSERT INTO payment_orders (id, user_id, provider, state, currency, amount, tax, tax_rate, credits, bonus, locale, refunded, created_ms, updated_ms)
         VALUES (?, ?, 'manual', 'pending', ?, ?, 0, 0, 1000, 0, 'en', 0, ?, 1)`,
        [each.id, each.user ?? '', each.currency, each.amount, each.at],
      );
    await db.sql(
      `INSERT INTO import_runs (id, product, instance, state, options, summary, created_ms, updated_ms)
       VALUES ('run', 'ctrlpanel', 'main', 'done', '{}', '{}', 1, 1)`,
    );
    for (const each of IMPORTED)
      await db.uow.run((tx) =>
        tx.imports.addPayment({
          id: each.id,
          runId: 'run',
          userId: each.user ?? '',
          gateway: 'Stripe',
          reference: `pi_${each.id.slice(-3)}`,
          status: 'paid',
          amount: each.amount === null ? null : ((each.amount * each.thousandths) / 1000).toFixed(3),
          currency: each.currency,
          credits: null,
          paidMs: each.at,
        }),
      );
  });
  afterAll(() => db.close());

  const ask = (query: Partial<OrderQuery> = {}) =>
    db.uow.read((tx) =>
      tx.payments.listOrders({ sort: { by: 'created', dir: 'desc' }, offset: 0, limit: 100, ...query }),
    );
  const sorted = (lines: readonly Line[], { by, dir }: OrderQuery['sort']) =>
    lines
      .toSorted((a, b) => {
        const value = by === 'amount' ? a.amount - b.amount : a.at - b.at;
        return (value || (a.id < b.id ? -1 : 1)) * (dir === 'asc' ? 1 : -1);
      })
      .map((each) => each.id);

  test.each((['created', 'amount'] as const).flatMap((by) => (['asc', 'desc'] as const).map((dir) => ({ by, dir }))))(
    'payments of both kinds are paged each once and in one order: %o',
    async (sort) => {
      const expected = sorted(ALL, sort);
      for (let offset = 0; offset < ALL.length; offset += 10) {
        const { rows, elsewhere, total } = await ask({ sort, offset, limit: 10 });
        expect(total).toBe(ALL.length);
        const page = expected.slice(offset, offset + 10);
        expect(rows.map((row) => row.id)).toEqual(page.filter((each) => ORDERS.some((order) => order.id === each)));
        expect(elsewhere.map((row) => row.id)).toEqual(
          page.filter((each) => IMPORTED.some((other) => other.id === each)),
        );
      }
      expect((await ask({ sort, offset: 100, limit: 10 })).rows).toEqual([]);
    },
  );

  test('a search finds payments of both kinds by the beginning of a name, and each by its reference', async () => {
    const bobs = await ask({ q: 'Bob' });
    const theirs = ALL.filter(({ user }) => user?.startsWith('bob'));
    expect([bobs.total, bobs.rows.length + bobs.elsewhere.length]).toEqual([theirs.length, theirs.length]);
    expect(bobs.elsewhere[0]).toMatchObject({ product: 'ctrlpanel', gateway: 'Stripe', username: expect.any(String) });
    const one = await ask({ q: 'pi_007' });
    expect([one.total, one.rows, one.elsewhere.map((row) => row.id)]).toEqual([1, [], [id(2, 7)]]);
    expect((await ask({ q: id(1, 3) })).rows.map((row) => row.id)).toEqual([id(1, 3)]);
  });

  test('every payment that is wanted goes into a file once, the newest first, however many are read at a time', async () => {
    const exported = async (filter: OrderFilter, step: number) => {
      const all: ListedPayment[] = [];
      for (;;) {
        const more = await db.uow.read((tx) => tx.payments.exportPayments(filter, all.at(-1) ?? null, step));
        all.push(...more);
        if (more.length < step) return all.map((each) => (each.order ?? each.elsewhere).id);
      }
    };
    const newest = (lines: readonly Line[]) => sorted(lines, { by: 'created', dir: 'desc' });
    const isOrder = ({ id: one }: Line) => ORDERS.some((order) => order.id === one);
    for (const step of [1, 7, 500]) {
      expect(await exported({}, step)).toEqual(newest(ALL));
      expect(await exported({ q: 'bobby' }, step)).toEqual(newest(ALL.filter(({ user }) => user === 'bobby')));
      expect(await exported({ userId: 'carla' }, step)).toEqual(newest(ALL.filter(({ user }) => user === 'carla')));
      expect(await exported({ state: 'pending' }, step)).toEqual(newest(ALL.filter(isOrder)));
      expect(await exported({ provider: 'manual' }, step)).toEqual(newest(ALL.filter(isOrder)));
      expect(await exported({ provider: 'imported' }, step)).toEqual(newest(ALL.filter((line) => !isOrder(line))));
      expect(await exported({ provider: 'imported', state: 'pending' }, step)).toEqual([]);
    }
  });

  test('states and gateways name orders alone, and what was imported is asked for by its own word', async () => {
    for (const query of [
      { state: 'pending' },
      { provider: 'manual' },
      { state: 'pending', provider: 'manual' },
    ] as const)
      expect(await ask(query)).toMatchObject({ total: ORDERS.length, elsewhere: [] });
    const imported = await ask({ provider: 'imported' });
    expect([imported.total, imported.rows, imported.elsewhere.length]).toEqual([IMPORTED.length, [], IMPORTED.length]);
    expect(await ask({ provider: 'imported', state: 'pending' })).toEqual({ rows: [], elsewhere: [], total: 0 });
    const own = await ask({ userId: 'carla' });
    expect([own.total, own.elsewhere]).toEqual([ORDERS.filter(({ user }) => user === 'carla').length, []]);
    expect((await ask({ userId: 'carla', provider: 'imported' })).total).toBe(
      IMPORTED.filter(({ user }) => user === 'carla').length,
    );
  });
});
