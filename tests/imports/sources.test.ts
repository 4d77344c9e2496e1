import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createUndo } from '#server/modules/imports/index.ts';
import { codeOf } from '#tests/support/coins.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { DATA, MYTHICAL_KEY, OLD_PASSWORD } from '#tests/support/imports/data.ts';
import { importerOf, importOptions } from '#tests/support/imports/runs.ts';
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
  (await h.db.sql<{ n: number }>("SELECT -balance AS n FROM ledger_balances WHERE account = 'system:import'"))[0]?.n ??
  0;

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
