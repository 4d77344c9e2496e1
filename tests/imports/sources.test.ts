import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createUndo } from '#server/modules/imports/index.ts';
import { codeOf } from '#tests/support/coins.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { DATA, MYTHICAL_KEY, OLD_PASSWORD } from '#tests/support/imports/data.ts';
import { importerOf, importOptions } from '#tests/support/imports/runs.ts';
import type { Resources } from '#shared/constants.ts';
import type { SettingValues } from '#shared/settings.ts';
import { iso } from '#shared/time.ts';
import { startMariaDb, type MariaDb } from '#tests/support/mariadb.ts';

let maria: MariaDb;
beforeAll(async () => {
  maria = await startMariaDb();
});
afterAll(() => maria.close());

type Product = keyof typeof DATA;
const PRODUCTS = Object.keys(DATA) as Product[];

/** Roles of staff that somebody of the data has, and which of ours each is most like. */
const STAFF: Readonly<Record<Product, [string, string][]>> = {
  ctrlpanel: [['Admin', 'Admin']],
  mythicaldash3: [['Support', 'Support']],
  mythicaldash4: [
    ['#2', 'VIP'],
    ['Administrator', 'Admin'],
  ],
  paymenter: [['admin', 'Admin']],
  jexactyl: [['root_admin', 'Admin']],
};

interface Expected {
  /** What Ann may have; what is left out is the default of new users. */
  readonly limits: Partial<Resources>;
  readonly locale: string;
  readonly packages: Record<string, unknown>[];
  /** What a server is found by at its panel: who has it, and its id there, or that which the product gave it. */
  readonly servers: readonly (readonly [user: string, panelId: string | null, externalId: string | null])[];
  /** Codes that can still be used: credits, uses, and how many of these are used up. */
  readonly codes: readonly (readonly [code: string, credits: number, uses: number, used: number])[];
  /** Gateway, reference, status, money, currency, credits and day. */
  readonly payments: readonly (readonly unknown[])[];
  /** Subject, department, status, priority, and the lines with who wrote them. */
  readonly ticket: readonly unknown[];
  readonly settings: Partial<SettingValues>;
}
/** What the data of each product becomes, for somebody who has no language there brought with `fr`. */
const EXPECTED: Readonly<Record<Product, (defaults: Resources) => Expected>> = {
  ctrlpanel: ({ memory, disk, cpu, databases, backups, ports }) => ({
    // Three slots: one server of its product, and two that are free with what new users have.
    limits: {
      slots: 3,
      memory: 1024 + 2 * memory,
      disk: 5120 + 2 * disk,
      cpu: 100 + 2 * cpu,
      databases: 1 + 2 * databases,
      backups: 1 + 2 * backups,
      ports: Math.max(3, ports),
    },
    locale: 'fr',
    servers: [
      ['1', '501', '11111111-0000-0000-0000-000000000000'],
      ['77', '503', '33333333-0000-0000-0000-000000000000'],
    ],
    codes: [['WELCOME-2023', 50, 3, 1]],
    packages: [{ name: '500 credits', price_minor: 499, currency: 'EUR', credits: 500, bonus: 0, visible: 0 }],
    payments: [['Stripe', 'pi_1', 'paid', '4.99', 'EUR', 500, '2023-03-03']],
    ticket: ['Help', 'Billing', 'answered', 'high', 'user: It broke & burns', 'staff: Fixed.'],
    settings: { company_name: 'Old Hosting GmbH' },
  }),
  mythicaldash3: () => ({
    limits: { memory: 2048, disk: 10_240, cpu: 150, slots: 2, ports: 2, databases: 1, backups: 1 },
    locale: 'fr',
    servers: [['1', '501', null]],
    codes: [['GIFT-100', 100, 4, 0]],
    packages: [],
    payments: [['stripe', 'abc', 'paid', null, '', 500, '2023-03-03']],
    ticket: ['Hi there', 'Support', 'open', 'normal', 'user: Question', 'staff: Answer'],
    settings: { default_ram: 1536, default_disk: 6144, default_cpu: 120 },
  }),
  mythicaldash4: () => ({
    limits: { memory: 2048, disk: 10_240, cpu: 150, slots: 2, ports: 2, databases: 1, backups: 1 },
    locale: 'fr',
    servers: [
      ['u-1', '501', null],
      ['u-none', '777', null],
    ],
    codes: [['SUMMER-24', 40, 3, 1]],
    packages: [],
    payments: [['stripe', 'cs_1', 'processed', '5.00', 'USD', 5, '2025-01-01']],
    ticket: ['Help me', 'Billing', 'answered', 'urgent', 'user: Now', 'staff: Soon'],
    settings: { company_name: 'Old Hosting GmbH' },
  }),
  paymenter: () => ({
    limits: {},
    locale: 'fr',
    servers: [['1', null, '91']],
    codes: [],
    packages: [],
    payments: [['2', 'pi_9', 'succeeded', '12.34', 'EUR', null, '2025-02-02']],
    ticket: ['Hello', 'Sales', 'closed', 'low', 'user: Hi', 'staff: Bye'],
    settings: { company_name: 'Old Hosting GmbH' },
  }),
  jexactyl: () => ({
    // What is left and what the server has.
    limits: { memory: 512 + 1024, disk: 5120, cpu: 100, slots: 2, ports: 1, databases: 0, backups: 0 },
    locale: 'de',
    servers: [
      ['11', '501', null],
      ['99', '502', null],
    ],
    codes: [['COUPON-1', 30, 2, 0]],
    packages: [],
    payments: [],
    ticket: ['Question', 'Support', 'closed', 'normal', 'user: Why?', 'staff: Because.'],
    settings: { server_renew_cost: 250 },
  }),
};

/** Loads the data of a product and gives its dump. */
async function dumpOf(product: Product): Promise<string> {
  await maria.load(product, DATA[product]);
  return maria.dump(product);
}
const userOf = async (h: Harness, email: string) =>
  (
    await h.db.sql<{ id: string; username: string; status: string; password_hash: string; role: string | null }>(
      'SELECT u.id, u.username, u.status, u.password_hash, r.key AS role FROM users u JOIN roles r ON r.id = u.role_id WHERE u.email_key = ?',
      [email],
    )
  )[0];
const sumOf = async (h: Harness) =>
  (
    await h.db.sql<{ n: number }>(
      "SELECT CAST(-SUM(balance) AS BIGINT) AS n FROM ledger_balances WHERE account = 'system:import' HAVING COUNT(*) > 0",
    )
  )[0]?.n ?? 0;

describe.each(PRODUCTS)('an import from %s', (product) => {
  const key = product === 'mythicaldash4' ? MYTHICAL_KEY : null;

  test('T53 a dump brings its users, who log in with their old passwords and have their credits, and every credit is found', async () => {
    const h = await openHarness();
    try {
      const importer = importerOf(h);
      const checked = await importer.check(importOptions(product, { path: await dumpOf(product) }), key, null);
      expect(await userOf(h, 'ann@old.example')).toBeUndefined();
      const { credits } = checked.summary;
      const parts = [credits.coming, credits.already, credits.cut, credits.left].map((each) =>
        Math.round(Number(each) * 10_000),
      );
      expect(parts.reduce((sum, each) => sum + each, 0)).toBe(Math.round(Number(credits.found) * 10_000));
      // Whoever was of staff there is proposed to be so here, and is not before somebody says so.
      expect(checked.summary.roles.map(({ name, toName }) => [name, toName])).toEqual(STAFF[product]);
      await importer.apply(checked.id, key);
      expect(
        await h.db.sql("SELECT username FROM users u JOIN roles r ON r.id = u.role_id WHERE r.key <> 'member'"),
      ).toEqual([]);
      const ann = await userOf(h, 'ann@old.example');
      expect(ann?.username).toBe('ann');
      expect(await h.balance(ann?.id ?? '')).toBe(125);
      expect(await sumOf(h)).toBe(Number(credits.coming));
      await h.guest.auth.login({ body: { login: 'ann', password: OLD_PASSWORD } });
      expect((await userOf(h, 'ann@old.example'))?.password_hash).toStartWith('$argon2id$');
      expect(h.errors).toEqual([]);
    } finally {
      await h.close();
    }
  });

  test('limits, language, servers, codes, packages, payments, tickets and settings come with their values', async () => {
    const h = await openHarness();
    try {
      const { current } = h.host.services.settings;
      const before = current();
      const defaults: Resources = {
        memory: before.default_ram,
        disk: before.default_disk,
        cpu: before.default_cpu,
        slots: before.default_server_slots,
        ports: before.default_ports,
        databases: before.default_databases,
        backups: before.default_backups,
      };
      const expected = EXPECTED[product](defaults);
      const importer = importerOf(h);
      const options = importOptions(product, { path: await dumpOf(product) }, { settings: true, language: 'fr' });
      const { id } = await importer.check(options, key, null);
      const store = importer.openStore(id);
      const servers = [
        ...store.staging.rows<{ data: string }>("SELECT data FROM records WHERE kind = 'server' ORDER BY seq"),
      ].map(({ data }) => JSON.parse(data) as Record<string, unknown>);
      store.staging.close();
      expect(servers.map((each) => [each.user, each.panelId, each.externalId])).toEqual(
        expected.servers.map((each) => [...each]),
      );
      await importer.apply(id, key);
      const [ann] = await h.db.sql<Record<string, unknown>>(
        'SELECT u.locale, l.* FROM users u JOIN user_limits l ON l.user_id = u.id WHERE u.email_key = ?',
        ['ann@old.example'],
      );
      const { user_id: userId, locale, ...limits } = ann ?? {};
      expect(limits).toEqual({ ...defaults, ...expected.limits });
      expect(locale).toBe(expected.locale);
      expect(
        await h.db.sql('SELECT name, price_minor, currency, credits, bonus, visible FROM credit_packages'),
      ).toEqual(expected.packages);
      const codes = await h.db.sql('SELECT code, credits, uses_total, uses_count FROM redeem_codes ORDER BY code');
      expect(codes.map((each) => Object.values(each))).toEqual(expected.codes.map((each) => [...each]));
      const payments = await h.db.sql<Record<string, unknown>>(
        'SELECT gateway, reference, status, amount, currency, credits, paid_ms FROM imported_payments WHERE user_id = ?',
        [String(userId)],
      );
      expect(
        payments.map(({ paid_ms: ms, ...rest }) => [...Object.values(rest), iso(Number(ms)).slice(0, 10)]),
      ).toEqual(expected.payments.map((each) => [...each]));
      const tickets = await h.db.sql<{ id: string }>(
        'SELECT t.id, t.subject, d.name, t.status, t.priority FROM tickets t JOIN departments d ON d.id = t.department_id',
      );
      const [ticket] = tickets;
      const { id: ticketId = '', ...facts } = ticket ?? {};
      const lines = await h.db.sql<{ kind: string; text: string }>(
        'SELECT kind, text FROM ticket_messages WHERE ticket_id = ? ORDER BY seq',
        [ticketId],
      );
      expect([...Object.values(facts), ...lines.map(({ kind, text }) => `${kind}: ${text}`)]).toEqual([
        ...expected.ticket,
      ]);
      expect(tickets).toHaveLength(1);
      const after = current();
      const changed = Object.entries(after).filter(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof SettingValues]),
      );
      expect(Object.fromEntries(changed)).toEqual(expected.settings);
    } finally {
      await h.close();
    }
  });

  test('a connection brings what a dump brings', async () => {
    const h = await openHarness();
    try {
      const dumped = await importerOf(h).check(importOptions(product, { path: await dumpOf(product) }), key, null);
      const read = await importerOf(h).check(importOptions(product, { url: maria.address(product) }), key, null);
      expect(read.summary).toEqual(dumped.summary);
    } finally {
      await h.close();
    }
  });

  test('a second run brings nothing twice, also of another dump', async () => {
    const h = await openHarness();
    try {
      const importer = importerOf(h);
      const path = await dumpOf(product);
      await importer.apply((await importer.check(importOptions(product, { path }), key, null)).id, key);
      const before = [
        await sumOf(h),
        await h.db.sql('SELECT COUNT(*) AS n FROM users'),
        await h.db.sql('SELECT COUNT(*) AS n FROM tickets'),
      ];
      const again = await importer.check(importOptions(product, { path }), key, null);
      expect(again.summary.credits.coming).toBe('0.0000');
      expect(again.summary.kinds.user.ready).toBe(0);
      await importer.apply(again.id, key);
      expect([
        await sumOf(h),
        await h.db.sql('SELECT COUNT(*) AS n FROM users'),
        await h.db.sql('SELECT COUNT(*) AS n FROM tickets'),
      ]).toEqual(before);
    } finally {
      await h.close();
    }
  });

  test('an undo takes everything back while nobody has logged in, and a run after it brings it again', async () => {
    const h = await openHarness();
    try {
      const importer = importerOf(h);
      const path = await dumpOf(product);
      const { id } = await importer.check(importOptions(product, { path }), key, null);
      const { kinds } = await importer.apply(id, key);
      expect(kinds.user.done).toBeGreaterThan(0);
      const { undo } = createUndo({ ...h.host.services, traceOf: (text) => text });
      await undo(null, id);
      expect(await sumOf(h)).toBe(0);
      expect(await userOf(h, 'ann@old.example')).toBeUndefined();
      for (const table of [
        'redeem_codes',
        'credit_packages',
        'imported_payments',
        'tickets',
        'imported_rows',
        'linked_identities',
      ])
        expect([table, await h.db.sql(`SELECT * FROM ${table}`)]).toEqual([table, []]);
      await importer.apply((await importer.check(importOptions(product, { path }), key, null)).id, key);
      expect(await h.balance((await userOf(h, 'ann@old.example'))?.id ?? '')).toBe(125);
      await h.guest.auth.login({ body: { login: 'ann', password: OLD_PASSWORD } });
      const last = (await h.db.sql<{ id: string }>("SELECT id FROM import_runs WHERE state = 'done'"))[0];
      expect(await codeOf(undo(null, last?.id ?? ''))).toBe('CONFLICT');
    } finally {
      await h.close();
    }
  });
});

describe('payments of MythicalDash 4', () => {
  test('the currency is the one asked for where its own cannot be read, and its user and staff see what was paid', async () => {
    const h = await openHarness();
    try {
      const importer = importerOf(h);
      const path = await dumpOf('mythicaldash4');
      const { id } = await importer.check(importOptions('mythicaldash4', { path }, { currency: 'RON' }), null, null);
      await importer.apply(id, null);
      const ann = await userOf(h, 'ann@old.example');
      const clerk = await h.person('petra', { permissions: ['admin.payments.list'] });
      const { rows, elsewhere } = await clerk.api.adminPayments.list({ query: { user: ann?.id ?? '' } });
      expect(rows).toEqual([]);
      expect(elsewhere).toEqual([
        {
          id: expect.any(String) as string,
          product: 'mythicaldash4',
          gateway: 'stripe',
          reference: 'cs_1',
          status: 'processed',
          amount: 500,
          currency: 'RON',
          credits: 5,
          paid_at: '2025-01-01T00:00:00.000Z',
        },
      ]);
      // They stand in the list of all payments as well, with who paid them.
      const listed = { ...elsewhere[0], user: { id: ann?.id, username: 'ann' } };
      const all = (query: object) => clerk.api.adminPayments.list({ query });
      for (const query of [{}, { provider: 'imported' }, { q: 'cs_1' }, { q: 'AN' }, { sort: '-amount' }])
        expect(await all(query)).toMatchObject({ rows: [], elsewhere: [listed], paging: { total: 1 } });
      for (const query of [
        { provider: 'stripe' },
        { state: 'paid' },
        { state: 'paid', provider: 'imported' },
        { q: 'cs_2' },
      ])
        expect(await all(query)).toMatchObject({ rows: [], elsewhere: [], paging: { total: 0 } });
      // Nobody sees those of somebody else.
      expect((await clerk.api.payments.mine()).elsewhere).toEqual([]);
      await h.db.sql('UPDATE imported_payments SET user_id = ? RETURNING id', [clerk.id]);
      expect((await clerk.api.payments.mine()).elsewhere).toEqual(elsewhere);
    } finally {
      await h.close();
    }
  });
});
