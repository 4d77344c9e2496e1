import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Engine } from '#server/data/engine.ts';
import { migrate } from '#server/data/migrate.ts';
import { appendTransaction } from '#server/data/repos/ledger-append.ts';
import { verifyLedger } from '#server/data/repos/ledger-verify.ts';
import type { Posting } from '#server/modules/ledger/index.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES, type Engine as Kind } from '#tests/support/db.ts';
import { withMigrations } from '#tests/support/migrations.ts';

setDefaultTimeout(300_000);

/** Everything but the migration itself: the program of today writes what it is to change. */
const withOld = (kind: Kind, work: (engine: Engine) => Promise<void>) =>
  withMigrations(kind, (name) => name !== '0024_payment_rights', work);

const role = (engine: Engine, id: string, permissions: readonly string[]) =>
  engine.write(async ({ raw }) => {
    await raw.run(
      'INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES (?, NULL, ?, ?, 1, 0, 0, 0)',
      [id, id, '#888888'],
    );
    for (const permission of permissions)
      await raw.run('INSERT INTO role_permissions (role_id, permission) VALUES (?, ?)', [id, permission]);
  });
const rights = (engine: Engine, id: string) =>
  engine.read(async ({ raw }) =>
    (
      await raw.all<{ permission: string }>(
        'SELECT permission FROM role_permissions WHERE role_id = ? ORDER BY permission',
        [id],
      )
    ).map(({ permission }) => permission),
  );

describe.each(ENGINES)('what the rights of payments were before (%s)', (kind) => {
  test('S10 roles keep what their old rights were good for, and get nothing beside it', () =>
    withOld(kind, async (engine) => {
      await role(engine, 'support', ['admin.users.list', 'admin.tickets.view']);
      await role(engine, 'manager', ['admin.users.edit', 'admin.redeem.codes.create', 'admin.redeem.codes.list']);
      await role(engine, 'panels', ['admin.panels.edit']);
      await migrate(engine, TEST_START);
      expect(await rights(engine, 'support')).toEqual([
        'admin.payments.list',
        'admin.payments.view',
        'admin.tickets.view',
        'admin.users.list',
      ]);
      expect(await rights(engine, 'manager')).toEqual([
        'admin.credit.packages.create',
        'admin.credit.packages.list',
        'admin.payments.edit',
        'admin.redeem.codes.create',
        'admin.redeem.codes.list',
        'admin.users.edit',
      ]);
      expect(await rights(engine, 'panels')).toEqual(['admin.panels.edit']);
    }));

  test('Screen 3 every order of before gets a payment reference of its own, also where their ids end alike', () =>
    withOld(kind, async (engine) => {
      const ids = Array.from(
        { length: 40 },
        (_, n) => `0190a0${String(n).padStart(2, '0')}-0000-7000-8000-000000000001`,
      );
      await engine.write(async ({ raw }) => {
        for (const id of ids) {
          await raw.run(
            `INSERT INTO payment_orders (id, user_id, provider, state, currency, amount, tax, tax_rate, credits, bonus, locale, refunded, created_ms, updated_ms)
             VALUES (?, 'u', 'manual', 'pending', 'EUR', 500, 0, 0, 1000, 0, 'en', 0, 1, 1)`,
            [id],
          );
        }
      });
      await migrate(engine, TEST_START);
      const codes = await engine.read(async ({ raw }) =>
        (await raw.all<{ code: string }>('SELECT code FROM payment_orders')).map(({ code }) => code),
      );
      expect(new Set(codes).size).toBe(ids.length);
      for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
    }));

  test('E11 accounts that drifted by a debt equal their orders again, the ledger proves, and the debt stays', () =>
    withOld(kind, async (engine) => {
      let made = 0;
      const move = (kindOf: string, ...postings: readonly [string, string, number][]) =>
        engine.write(({ raw }) =>
          appendTransaction(raw, {
            id: `t${(made += 1)}`,
            kind: kindOf,
            reference: `r${made}`,
            subject: null,
            actor: null,
            reason: null,
            reverses: null,
            createdMs: TEST_START,
            postings: postings.map(
              ([source, destination, amount]) => ({ source, destination, amount }) as unknown as Posting,
            ),
          }),
        );
      // As the ledger wrote them: 1,200 paid, 700 spent, all taken back; then 300 of the debt paid through PayPal, 100
      // let off by staff.
      await move('payment.credit', ['system:payment.stripe', 'user:a', 1200]);
      await move('store.buy', ['user:a', 'system:store', 700]);
      await move('payment.refund', ['user:a', 'system:payment.stripe', 500], ['system:payment.stripe', 'debt:a', 700]);
      await move('payment.credit', ['system:payment.paypal', 'user:a', 300]);
      await move('debt.paid', ['debt:a', 'system:payment.paypal', 300], ['user:a', 'system:payment.paypal', 300]);
      await move('adjustment', ['debt:a', 'system:adjustment', 100]);
      await engine.write(async ({ raw }) => {
        // One row an account, as there was when the migration was written.
        for (const sql of [
          'CREATE TABLE together AS SELECT account, SUM(balance) AS balance FROM ledger_balances GROUP BY account',
          'DELETE FROM ledger_balances',
          'INSERT INTO ledger_balances (account, balance) SELECT account, balance FROM together',
          'DROP TABLE together',
          'CREATE UNIQUE INDEX ledger_balances_account ON ledger_balances (account)',
        ])
          await raw.run(sql);
      });
      await migrate(engine, TEST_START + 5);
      const at = await engine.read(async ({ raw }) => {
        const rows = await raw.all<{ account: string; balance: number }>(
          'SELECT account, balance FROM ledger_balances WHERE balance <> 0 ORDER BY account',
        );
        return Object.fromEntries(rows.map(({ account, balance }) => [account, balance]));
      });
      // Stripe gave 1,200 and took 1,200 back; PayPal gave 300; staff gave 100; 300 are owed.
      expect(at).toEqual({
        'debt:a': 300,
        'system:adjustment': -100,
        'system:debt': -600,
        'system:payment.paypal': -300,
        'system:store': 700,
      });
      expect(await engine.read(({ raw }) => verifyLedger(raw))).toEqual([]);
    }));
});
