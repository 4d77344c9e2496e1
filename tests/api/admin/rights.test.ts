import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { isCurrency } from '#shared/currencies.ts';
import type { Permission } from '#shared/permissions.ts';
import { call } from '#tests/support/call.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.10.

let harness: Harness;
let owner: Person;
beforeAll(async () => {
  harness = await openHarness();
  owner = await harness.person('owner', { permissions: ['admin.root'], credits: 5000 });
});
afterAll(() => harness.close());

let made = 0;
const staff = (...permissions: Permission[]): Promise<Person> => harness.person(`staff${(made += 1)}`, { permissions });
const code = (over: object = {}) => ({
  code: `RIGHT-${(made += 1)}-CODE`,
  note: '',
  credits: 50,
  uses_total: 10,
  min_age_days: 0,
  starts_at: null,
  ends_at: null,
  enabled: true,
  ...over,
});
const credits = (over: object = {}) => ({
  name: `Pack ${(made += 1)}`,
  price_minor: 500,
  currency: 'EUR',
  credits: 1000,
  bonus: 0,
  position: 1,
  visible: true,
  ...over,
});
const adjust = (by: Person, who: Person, amount: number, direction: 'in' | 'out' = 'in') =>
  call(harness, by, 'POST', `/api/admin/users/${who.id}/adjust`, { direction, amount, reason: 'A reason' });

describe('rights of their own', () => {
  test('S10 listing users opens no payments, editing users moves no credits, and writing codes writes no packages', async () => {
    const [support, editor, coder] = [
      await staff('admin.users.list'),
      await staff('admin.users.edit'),
      await staff('admin.redeem.codes.create', 'admin.redeem.codes.list'),
    ];
    const any = '01890000-0000-7000-8000-000000000000';
    const status = async (by: Person, method: 'GET' | 'POST', path: string, body?: object) =>
      (await call(harness, by, method, path, body)).status;
    expect([
      await status(support, 'GET', '/api/admin/payments'),
      await status(support, 'GET', `/api/admin/payments/${any}`),
      await status(support, 'GET', '/api/admin/payments/problems'),
    ]).toEqual([403, 403, 403]);
    expect([
      await status(editor, 'POST', `/api/admin/payments/${any}/refund`, { amount: 1, reason: 'none' }),
      await status(editor, 'POST', `/api/admin/payments/${any}/confirm`, { reason: 'none' }),
    ]).toEqual([403, 403]);
    expect([
      await status(coder, 'POST', '/api/admin/credit-packages', credits()),
      await status(coder, 'GET', '/api/admin/credit-packages'),
    ]).toEqual([403, 403]);
    const seller = await staff('admin.credit.packages.create');
    expect(await status(seller, 'POST', '/api/admin/credit-packages', credits())).toBe(200);
  });

  test('S10 new installations give Support no payments', async () => {
    const rows = await harness.db.sql<{ permission: string }>(
      "SELECT permission FROM role_permissions JOIN roles ON roles.id = role_id WHERE roles.key = 'support' AND permission LIKE 'admin.payments.%'",
    );
    expect(rows).toEqual([]);
  });
});

describe('one’s own codes', () => {
  test('S10 whoever made a code, made it among many or changed it cannot redeem it, others can, and so can who may do everything', async () => {
    const maker = await staff('admin.redeem.codes.create', 'admin.redeem.codes.edit', 'admin.redeem.codes.list');
    const changer = await staff('admin.redeem.codes.edit');
    const player = await harness.person('redeemer');
    const body = code();
    const { id } = await maker.api.adminRedeemCodes.create({ body });
    const { row } = await changer.api.adminRedeemCodes.get({ params: { id } });
    await changer.api.adminRedeemCodes.update({
      params: { id },
      body: { ...body, credits: 60, updated_at: row.updated_at },
    });
    const redeem = (who: Person, text: string) => call(harness, who, 'POST', '/api/earn/redeem', { code: text });
    for (const who of [maker, changer])
      expect(await redeem(who, body.code)).toMatchObject({ status: 409, json: { error_code: 'CODE_OWN' } });
    expect((await redeem(player, body.code)).status).toBe(200);
    const { codes } = await maker.api.adminCodeBatch.create({
      body: {
        count: 2,
        pattern: 'OWN-########',
        credits: 5,
        uses_total: 1,
        min_age_days: 0,
        note: '',
        starts_at: null,
        ends_at: null,
      },
    });
    expect(await redeem(maker, codes[0] ?? '')).toMatchObject({ json: { error_code: 'CODE_OWN' } });
    expect([
      await harness.balance(maker.id),
      await harness.balance(changer.id),
      await harness.balance(player.id),
    ]).toEqual([0, 0, 60]);
    const own = code({ credits: 7 });
    await owner.api.adminRedeemCodes.create({ body: own });
    expect((await redeem(owner, own.code)).status).toBe(200);
  });
});

describe('rank', () => {
  test('S10 only an owner adjusts or refunds a colleague of the same rank or an owner', async () => {
    const [editor, colleague] = [await staff('admin.users.edit'), await staff('admin.users.edit')];
    const player = await harness.person('ranked', { credits: 100 });
    await harness.db.sql('UPDATE roles SET rank = 100 WHERE id = (SELECT role_id FROM users WHERE id = ?)', [owner.id]);
    const before = await harness.balance(owner.id);
    for (const direction of ['in', 'out'] as const) {
      expect(await adjust(editor, owner, 100, direction)).toMatchObject({
        status: 403,
        json: { error_code: 'FORBIDDEN' },
      });
      expect((await adjust(editor, colleague, 100, direction)).status).toBe(403);
      expect((await adjust(editor, editor, 100, direction)).status).toBe(403);
    }
    expect([await harness.balance(owner.id), await harness.balance(colleague.id)]).toEqual([before, 0]);
    expect((await adjust(editor, player, 50, 'out')).status).toBe(200);
    const { items } = await owner.api.store.items();
    const [item] = items;
    await owner.api.store.buy({ body: { item_id: item?.id ?? '', units: 1, price: item?.price ?? 0 } });
    const [purchase] = await harness.db.sql<{ id: string }>('SELECT id FROM store_purchases WHERE user_id = ?', [
      owner.id,
    ]);
    expect(
      (await call(harness, editor, 'POST', `/api/admin/users/${owner.id}/purchases/${purchase?.id ?? ''}/refund`))
        .status,
    ).toBe(403);
    expect((await adjust(owner, colleague, 10)).status).toBe(200);
    expect((await adjust(owner, owner, 10)).status).toBe(200);
  });
});

describe('large amounts', () => {
  test('S10 above the approval limit an adjustment, a code, a batch of codes and a package need an owner', async () => {
    await harness.set({ staff_amount_max: 1000 });
    const editor = await staff(
      'admin.users.edit',
      'admin.redeem.codes.create',
      'admin.redeem.codes.edit',
      'admin.redeem.codes.list',
      'admin.credit.packages.create',
      'admin.credit.packages.edit',
    );
    const player = await harness.person('rich', { credits: 5000 });
    const refused = { status: 403, json: { error_code: 'APPROVAL_REQUIRED' } };
    expect(await adjust(editor, player, 1001)).toMatchObject(refused);
    expect(await adjust(editor, player, 1001, 'out')).toMatchObject(refused);
    expect((await adjust(editor, player, 1000)).status).toBe(200);
    const post = (path: string, body: object, by = editor) => call(harness, by, 'POST', path, body);
    expect(await post('/api/admin/redeem-codes', code({ credits: 101, uses_total: 10 }))).toMatchObject(refused);
    const many = {
      count: 11,
      pattern: 'BIG-########',
      credits: 50,
      uses_total: 2,
      min_age_days: 0,
      note: '',
      starts_at: null,
      ends_at: null,
    };
    expect(await post('/api/admin/redeem-codes/batch', many)).toMatchObject(refused);
    expect(await post('/api/admin/credit-packages', credits({ credits: 900, bonus: 101 }))).toMatchObject(refused);
    const small = code({ credits: 100, uses_total: 10 });
    const { id } = await editor.api.adminRedeemCodes.create({ body: small });
    const { row } = await editor.api.adminRedeemCodes.get({ params: { id } });
    const change = { ...small, credits: 1000, updated_at: row.updated_at };
    expect(await call(harness, editor, 'PATCH', `/api/admin/redeem-codes/${id}`, change)).toMatchObject(refused);
    expect((await call(harness, owner, 'PATCH', `/api/admin/redeem-codes/${id}`, change)).status).toBe(200);
    expect((await adjust(owner, player, 5000, 'out')).status).toBe(200);
    expect((await post('/api/admin/redeem-codes/batch', many, owner)).status).toBe(200);
    await harness.set({ staff_amount_max: 100_000 });
  });
});

describe('currencies', () => {
  test('S11 a package in a currency that is none is refused, and so is the setting', async () => {
    for (const currency of ['NAN', 'XXX', 'XTS', 'XAU', 'ABC', 'EURO', '€', '   ', 'DEM']) {
      expect(await call(harness, owner, 'POST', '/api/admin/credit-packages', credits({ currency }))).toMatchObject({
        status: 422,
        json: { fields: { currency: expect.any(Array) } },
      });
      await expect(harness.set({ currency })).rejects.toThrow();
    }
    for (const currency of ['EUR', 'jpy', ' ron '])
      expect((await call(harness, owner, 'POST', '/api/admin/credit-packages', credits({ currency }))).status).toBe(
        200,
      );
  });

  test('S11 every currency that is known can be written by the machine as money, and is one of its own list', () => {
    const known = Intl.supportedValuesOf('currency').filter(isCurrency);
    expect(known.length).toBeGreaterThan(145);
    for (const code of known)
      expect(() => new Intl.NumberFormat('en', { style: 'currency', currency: code })).not.toThrow();
  });
});
