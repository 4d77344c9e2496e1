import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY } from '#shared/time.ts';
import { call } from '#tests/support/call.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

describe.each(ENGINES)('E10 a fault of the ledger (%s)', (engine) => {
  let harness: Harness;
  let ann: Person;
  let bob: Person;
  let staff: Person;
  beforeEach(async () => {
    harness = await openHarness({ engine });
    ann = await harness.person('ann', { credits: 500 });
    bob = await harness.person('bob', { credits: 500 });
    staff = await harness.person('olga', {
      permissions: ['admin.dashboard.view', 'admin.health.view', 'admin.users.edit', 'admin.users.list'],
    });
    // Who gives credits away has had an account for some days.
    harness.clock.advance(5 * DAY);
  }, 300_000);
  afterEach(() => harness.close(), 60_000);

  /** Changes a stored balance behind the ledger's back. */
  const tamper = (userId: string, by: number) =>
    harness.db.sql('UPDATE ledger_balances SET balance = balance + ? WHERE account = ?', [by, `user:${userId}`]);
  const prove = () => harness.host.services.proveLedger();
  const gift = (from: Person, to: Person, key?: string) =>
    call(harness, from, 'POST', '/api/gifts', { recipient: to.id, amount: 100, total: 110 }, key);
  const state = async () => (await staff.api.adminOverview.get()).ledger;
  const notified = async () =>
    (await staff.api.notifications.list()).notifications
      .map(({ kind }) => kind)
      .filter((kind) => kind.startsWith('ledger'));

  test('a fault is shown to staff, notifies them once, and freezes what is wrong until a proof finds it right', async () => {
    expect(await prove()).toEqual([]);
    expect([await state(), await notified()]).toEqual([{ total: 0, faults: [] }, []]);
    await tamper(ann.id, 300);
    expect((await prove()).map(({ proof, account }) => [proof, account])).toEqual([
      ['sum', null],
      ['postings', `user:${ann.id}`],
    ]);
    await prove();
    expect(await state()).toMatchObject({
      total: 2,
      faults: expect.arrayContaining([
        expect.objectContaining({ proof: 'postings', account: 'ann', stored: 800, expected: 500 }),
      ]),
    });
    expect(await notified()).toEqual(['ledgerFault']);
    expect((await bob.api.notifications.list()).notifications.filter(({ kind }) => kind.startsWith('ledger'))).toEqual(
      [],
    );

    // Nothing leaves the account, however often it is tried at once.
    const tries = await Promise.all(Array.from({ length: 50 }, (_, at) => gift(ann, bob, `frozen-key-${at}`)));
    expect(new Set(tries.map(({ status, json }) => `${status} ${String(json.error_code)}`))).toEqual(
      new Set(['409 ACCOUNT_FROZEN']),
    );
    expect(await harness.balance(bob.id)).toBe(500);
    // Others go on, and what comes in is booked.
    expect(await gift(bob, ann)).toMatchObject({ status: 200 });
    expect(await harness.balance(ann.id)).toBe(900);
    expect(
      await call(harness, staff, 'POST', `/api/admin/users/${ann.id}/adjust`, {
        direction: 'out',
        amount: 1,
        reason: 'A try',
      }),
    ).toMatchObject({ status: 409, json: { error_code: 'ACCOUNT_FROZEN' } });

    await tamper(ann.id, -300);
    expect(await prove()).toEqual([]);
    expect([await state(), (await notified()).toSorted()]).toEqual([
      { total: 0, faults: [] },
      ['ledgerFault', 'ledgerMended'],
    ]);
    expect(await gift(ann, bob)).toMatchObject({ status: 200 });
  }, 300_000);

  test('a fault of an account without a row is frozen as well, and two proofs at once leave one record', async () => {
    await harness.db.sql('DELETE FROM ledger_balances WHERE account = ?', [`user:${ann.id}`]);
    await Promise.all([prove(), prove(), prove()]);
    expect((await state())?.faults.filter(({ account }) => account === 'ann')).toHaveLength(1);
    expect(await gift(ann, bob)).toMatchObject({ status: 409 });
    await harness.db.sql('UPDATE ledger_balances SET balance = 500 WHERE account = ?', [`user:${ann.id}`]);
    await prove();
    expect(await gift(ann, bob)).toMatchObject({ status: 200 });
  }, 300_000);

  test('a fault is hidden from staff who may not see the health of the installation', async () => {
    await tamper(ann.id, 1);
    await prove();
    const other = await harness.person('other', { permissions: ['admin.dashboard.view'] });
    expect((await other.api.adminOverview.get()).ledger).toBeNull();
    await tamper(ann.id, -1);
  }, 300_000);
});
