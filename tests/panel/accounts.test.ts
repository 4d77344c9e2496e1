import { afterEach, describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { MINUTE } from '#shared/time.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openFakePanel, type Dialect, type FakePanel } from '#tests/support/panels/index.ts';

/** Accounts that a panel had before the product: staff and players say whose they are, over the real adapters. */
let harness: Harness | null = null;
let panel: FakePanel | null = null;
afterEach(async () => {
  await panel?.release();
  await harness?.close();
  await panel?.close();
  harness = panel = null;
});

const MAIL = {
  host: '127.0.0.1',
  port: 9,
  security: 'none' as const,
  username: null,
  password: null,
  fromAddress: 'host@example.com',
  fromName: 'Host',
};

async function openBoth(dialect: Dialect) {
  const fake = (panel = await openFakePanel({ dialect }));
  const own = (harness = await openHarness({
    config: { mail: MAIL },
    engine: dialect === 'pelican' ? 'postgres' : 'sqlite',
  }));
  const staff = await own.person('staff', { permissions: ['admin.root'] });
  const { id } = await staff.api.adminPanels.create({
    body: { name: 'Main', url: fake.url, dialect: 'auto', enabled: true, key: fake.applicationKey, client_key: '' },
  });
  const params = { id };
  const bind = (people: readonly Person[], unconfirmed = false) =>
    staff.api.adminPanels.bindAccounts({ params, body: { users: people.map((person) => person.id), unconfirmed } });
  const actions = async () =>
    (await own.db.uow.read((tx) => tx.audit.latest(100)))
      .filter(({ action }) => action.startsWith('panels.bind'))
      .map(({ action, target, actorId }) => [action, target, actorId]);
  /** A server that failed for an account with its owner's address. */
  const failed = async (owner: Person, more: { failure?: string } = {}) => {
    const server = crypto.randomUUID();
    await own.db.sql(
      `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, failure, desired, revision, synced_revision, auto_renew,
       auto_renew_order, periods, created_ms, updated_ms, panel) VALUES (?, ?, 'hub', '', '', '', '', 256, 256, 5, 1, 0, 0, '{}', 'failed', ?, 'nothing', 1, 1, 0, 0, 0, 0, 0, ?) RETURNING id`,
      [server, owner.id, more.failure ?? 'accountTaken', id],
    );
    return { params: { id: server } };
  };
  const code = async () =>
    (
      await own.db.sql<{ text: string }>(
        "SELECT text FROM mails WHERE template = 'panelAccount' ORDER BY created_ms DESC, id DESC",
      )
    )[0]?.text.match(/\b[A-Z2-9]{4}-[A-Z2-9]{4}\b/)?.[0] ?? '';
  return { fake, own, staff, params, bind, actions, failed, code };
}
const refusal = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw error ?? new Error('it was not refused');
  return error.code === 'VALIDATION_FAILED' ? error.fields : error.code;
};

describe.each(['pterodactyl', 'pelican'] as const)('accounts that exist in a panel, %s', (dialect) => {
  test('P3 a dry run names the accounts that could be bound and why others are not, and changes nothing', async () => {
    const { fake, own, staff, params } = await openBoth(dialect);
    const [ana, bob, eve, mod, old] = await Promise.all(
      ['ana', 'bob', 'eve', 'mod', 'old'].map((name) => own.person(name)),
    );
    await own.db.sql('UPDATE users SET verified_ms = NULL WHERE id = ? RETURNING id', [bob?.id ?? '']);
    fake.addUser({ email: 'ANA@example.com', username: 'ana_old', externalId: null });
    fake.addUser({ email: 'bob@example.com', externalId: null });
    fake.addUser({ email: 'eve@example.com', externalId: 'billing-7' });
    fake.addUser({ email: 'mod@example.com', externalId: null, rootAdmin: true });
    fake.addUser({ email: 'old@example.com', externalId: old?.id ?? '' });
    fake.addUser({ email: 'stranger@example.com', externalId: null });
    const before = JSON.stringify([...fake.state.users.values()]);
    const { rows, bound } = await staff.api.adminPanels.accounts({ params });
    expect(rows.map(({ user_id: id, verdict }) => [id, verdict]).toSorted()).toEqual(
      [
        [ana?.id, 'match'],
        [bob?.id, 'unconfirmed'],
        [eve?.id, 'taken'],
        [mod?.id, 'admin'],
      ].toSorted() as never,
    );
    expect(rows.find(({ verdict }) => verdict === 'match')).toMatchObject({
      username: 'ana',
      email: 'ana@example.com',
      account: 'ana_old',
    });
    expect(bound).toBe(1);
    expect(JSON.stringify([...fake.state.users.values()])).toBe(before);
  });

  test('P3 staff bind many at once but no administrators, other ids or unconfirmed addresses, all in the audit log', async () => {
    const { fake, own, staff, bind, actions } = await openBoth(dialect);
    const people = await Promise.all(['ana', 'bob', 'eve', 'mod', 'non'].map((name) => own.person(name)));
    const [ana, bob, eve, mod, non] = people;
    await own.db.sql('UPDATE users SET verified_ms = NULL WHERE id = ? RETURNING id', [bob?.id ?? '']);
    const accounts = [
      fake.addUser({ email: 'Ana@example.com', username: 'ana_old', externalId: null, password: 'kept' }),
      fake.addUser({ email: 'bob@example.com', externalId: null }),
      fake.addUser({ email: 'eve@example.com', externalId: 'billing-7' }),
      fake.addUser({ email: 'mod@example.com', externalId: null, rootAdmin: true }),
    ];
    // Found by the panel's filter as a part only.
    fake.addUser({ email: 'xnon@example.com', externalId: null });
    const ids = () => accounts.map((account) => fake.state.users.get(account.id)?.externalId ?? null);
    expect(await bind(people)).toMatchObject({
      bound: 1,
      refused: [
        [bob, 'unconfirmed'],
        [eve, 'taken'],
        [mod, 'admin'],
        [non, 'missing'],
      ].map(([who, why]) => ({ user_id: (who as Person).id, username: (who as Person).username, why })),
    } as never);
    expect(ids()).toEqual([ana?.id ?? '', null, 'billing-7', null]);
    expect(fake.state.users.get(accounts[0]?.id ?? 0)).toMatchObject({
      username: 'ana_old',
      password: 'kept',
      rootAdmin: false,
    });
    expect(await actions()).toEqual([
      ['panels.bind', ana?.id ?? '', staff.id],
      ['panels.bind_attempt', ana?.id ?? '', staff.id],
    ]);
    expect((await bind(bob ? [bob] : [], true)).bound).toBe(1);
    expect(ids()).toEqual([ana?.id ?? '', bob?.id ?? '', 'billing-7', null]);
    // Once more changes nothing, and the product's own look-up finds the account.
    expect((await bind(ana ? [ana] : [])).bound).toBe(1);
    expect([...fake.state.users.values()].filter(({ externalId }) => externalId === ana?.id)).toHaveLength(1);
  });

  test('P3 an attempt stands in the audit log also where the panel fails, and a lost answer is no success', async () => {
    const { fake, own, bind, actions } = await openBoth(dialect);
    const ana = await own.person('ana');
    fake.addUser({ email: 'ana@example.com', externalId: null });
    fake.failBy(({ method }) => (method === 'PATCH' ? { kind: 'status', status: 500 } : null));
    expect(await bind([ana]).then(({ bound, refused }) => [bound, refused.map(({ why }) => why)])).toEqual([
      0,
      ['silent'],
    ]);
    expect((await actions()).map(([action]) => action)).toEqual(['panels.bind_attempt']);
  });

  test('P3 a player proves the account with a mailed code: once, with few tries, for a while; the old password is out', async () => {
    const { fake, own, failed, code, actions } = await openBoth(dialect);
    const ana = await own.person('ana');
    const account = fake.addUser({
      email: 'ana@example.com',
      username: 'ana_old',
      externalId: null,
      password: 'set by somebody',
    });
    const server = await failed(ana);
    await ana.api.panelAccount.sendCode(server);
    const first = await code();
    expect(first).toMatch(/^\w{4}-\w{4}$/);
    expect(JSON.stringify(await own.db.sql('SELECT * FROM panel_account_codes'))).not.toContain(first.replace('-', ''));
    expect(await refusal(ana.api.panelAccount.sendCode(server))).toBe('RATE_LIMITED');
    expect(await refusal(ana.api.panelAccount.prove({ ...server, body: { code: 'AAAA-AAAA' } }))).toEqual({
      code: ['CODE_WRONG'],
    });
    // Too late.
    own.clock.advance(16 * MINUTE);
    expect(await refusal(ana.api.panelAccount.prove({ ...server, body: { code: first } }))).toEqual({
      code: ['CODE_WRONG'],
    });
    await ana.api.panelAccount.sendCode(server);
    const second = await code();
    expect(second).not.toBe(first);
    // Somebody else's session has no use for it.
    const eve = await own.person('eve');
    expect(await refusal(eve.api.panelAccount.prove({ ...server, body: { code: second } }))).toBe('NOT_FOUND');
    await ana.api.panelAccount.prove({ ...server, body: { code: second.toLowerCase().replace('-', ' ') } });
    expect(fake.state.users.get(account.id)).toMatchObject({ externalId: ana.id, username: 'ana_old' });
    expect(fake.state.users.get(account.id)?.password).not.toBe('set by somebody');
    expect(await refusal(ana.api.panelAccount.prove({ ...server, body: { code: second } }))).toEqual({
      code: ['CODE_WRONG'],
    });
    expect((await actions()).map(([action]) => action)).toEqual(['panels.bind', 'panels.bind_attempt']);
  });

  test('P3 five wrong codes make a good one worthless', async () => {
    const { fake, own, failed, code } = await openBoth(dialect);
    const ana = await own.person('ana');
    const account = fake.addUser({ email: 'ana@example.com', externalId: null });
    const server = await failed(ana);
    await ana.api.panelAccount.sendCode(server);
    for (let tries = 0; tries < 5; tries += 1)
      expect(await refusal(ana.api.panelAccount.prove({ ...server, body: { code: 'AAAAAAAA' } }))).toEqual({
        code: ['CODE_WRONG'],
      });
    expect(await refusal(ana.api.panelAccount.prove({ ...server, body: { code: await code() } }))).toEqual({
      code: ['CODE_WRONG'],
    });
    expect(fake.state.users.get(account.id)?.externalId).toBeNull();
  });

  test.each([
    ['an administrator’s', { rootAdmin: true }],
    ['another user’s', { externalId: 'billing-7' }],
  ] as const)('T28 no code is mailed for an account that is %s', async (_, facts) => {
    const { fake, own, failed, code } = await openBoth(dialect);
    const ana = await own.person('ana');
    fake.addUser({ email: 'ana@example.com', externalId: null, ...facts });
    expect(await refusal(ana.api.panelAccount.sendCode(await failed(ana)))).toBe('ACCOUNT_NOT_YOURS');
    expect(await refusal(ana.api.panelAccount.sendCode(await failed(ana, { failure: 'panelRefused' })))).toBe(
      'CONFLICT',
    );
    expect(await code()).toBe('');
  });

  test('T28 an account that became an administrator’s between code and proof is not bound', async () => {
    const { fake, own, failed, code } = await openBoth(dialect);
    const ana = await own.person('ana');
    const account = fake.addUser({ email: 'ana@example.com', externalId: null });
    const server = await failed(ana);
    await ana.api.panelAccount.sendCode(server);
    account.rootAdmin = true;
    expect(await refusal(ana.api.panelAccount.prove({ ...server, body: { code: await code() } }))).toBe(
      'ACCOUNT_NOT_YOURS',
    );
    expect(account.externalId).toBeNull();
  });
});
