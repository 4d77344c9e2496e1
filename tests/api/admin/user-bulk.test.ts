import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.3: commands on several users at once.
setDefaultTimeout(300_000);

const HELPER = '0190a000-0000-7000-8000-00000000000a';
const NOBODY = '01890000-0000-7000-8000-000000000000';
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error)),
  );

describe.each(ENGINES)('commands on several users on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let [ann, bob]: Person[] = [];
  beforeEach(async () => {
    h = await openHarness({ engine });
    staff = await h.person('oana', { permissions: ['admin.users.edit', 'admin.users.list'] });
    [ann, bob] = [await h.person('ann'), await h.person('bob')];
  });
  afterEach(() => h.close());
  const idsOf = (...people: readonly (Person | undefined)[]) => people.map((person) => person?.id ?? '');
  const roleOf = async (person: Person | undefined) =>
    (
      await h.db.sql<{ name: string }>('SELECT r.name FROM users u JOIN roles r ON r.id = u.role_id WHERE u.id = ?', [
        person?.id ?? '',
      ])
    )[0]?.name;
  const roleId = async (name: string) =>
    (await staff.api.adminUsers.list()).roles.find((role) => role.name === name)?.id ?? '';

  test('T40 a role is given to each by the rule for one: who is refused stops nobody else, and the last owner stays', async () => {
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    const peer = await h.person('peer', { permissions: ['admin.users.edit'] });
    const member = await roleId('Member');
    const { adminUserBulk } = staff.api;
    await h.db.sql("UPDATE roles SET rank = 30 WHERE name IN ('role-oana', 'role-peer')");
    await h.db.sql("UPDATE roles SET rank = 100 WHERE name = 'role-owner'");
    await h.db.sql(
      "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES (?, NULL, 'Helper', '#888888', 20, 0, 0, 0)",
      [HELPER],
    );
    const everybody = idsOf(ann, owner, bob, peer, staff, ann);
    expect(await adminUserBulk.setRole({ body: { ids: [...everybody, NOBODY], role: HELPER } })).toMatchObject({
      done: 2,
      refused: [
        { id: owner.id, code: 'FORBIDDEN' },
        { id: peer.id, code: 'FORBIDDEN' },
        { id: staff.id, code: 'FORBIDDEN' },
        { id: NOBODY, code: 'NOT_FOUND' },
      ],
    });
    expect(await adminUserBulk.setRole({ body: { ids: idsOf(ann), role: await roleId('VIP') } })).toMatchObject({
      done: 0,
      refused: [{ id: ann?.id, code: 'PERMISSION_NOT_HELD' }],
    });
    expect([await roleOf(ann), await roleOf(bob), await roleOf(peer)]).toEqual(['Helper', 'Helper', 'role-peer']);
    const stripped = await owner.api.adminUserBulk.setRole({ body: { ids: idsOf(ann, owner), role: member } });
    expect(stripped).toMatchObject({ done: 1, refused: [{ id: owner.id, code: 'LAST_OWNER' }] });
    const audits = await h.db.sql("SELECT target FROM audit WHERE action = 'users.role'");
    expect(audits).toHaveLength(3);
    expect(await codeOf(adminUserBulk.setRole({ body: { ids: idsOf(ann), role: NOBODY } }))).toBe('VALIDATION_FAILED');
    for (const ids of [[], ['x'], Array.from({ length: 101 }, () => ann?.id ?? '')])
      expect(await codeOf(adminUserBulk.setRole({ body: { ids, role: HELPER } }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(ann?.api.adminUserBulk.setRole({ body: { ids: idsOf(ann), role: HELPER } }) ?? NEVER)).toBe(
      'FORBIDDEN',
    );
  });

  test('addresses are confirmed once, by two at once too, and those that are confirmed already are refused', async () => {
    await h.db.sql('UPDATE users SET verified_ms = NULL WHERE id IN (?, ?)', idsOf(ann, bob));
    const gone = await h.person('gone');
    await h.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [gone.id]);
    const body = { ids: idsOf(ann, bob, gone) };
    const [one, two] = await Promise.all([
      staff.api.adminUserBulk.confirm({ body }),
      staff.api.adminUserBulk.confirm({ body }),
    ]);
    expect(one.done + two.done).toBe(2);
    expect([...one.refused, ...two.refused].map(({ code }) => code).sort()).toEqual([
      'ALREADY_VERIFIED',
      'ALREADY_VERIFIED',
      'NOT_FOUND',
      'NOT_FOUND',
    ]);
    expect((await staff.api.adminUsers.list({ query: { unverified: 'true' } })).rows).toEqual([]);
    expect(await codeOf(ann?.api.adminUserBulk.confirm({ body }) ?? NEVER)).toBe('FORBIDDEN');
  });

  test('T47 an e-mail goes to each once an Idempotency-Key, in the words of staff, and nothing in them is run or filled in', async () => {
    const { adminUserBulk } = staff.api;
    const gone = await h.person('gone');
    await h.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [gone.id]);
    const body = {
      ids: idsOf(ann, bob, gone, ann),
      subject: 'Maintenance {{name}}',
      text: 'Tonight, <b>{{path}}</b>\nfor an hour.',
    };
    const [first, again] = await Promise.all([
      adminUserBulk.write({ body }, { key: 'mail-00001' }),
      adminUserBulk.write({ body }, { key: 'mail-00001' }),
    ]);
    expect(again).toEqual(first);
    expect(first).toMatchObject({ done: 2, refused: [{ id: gone.id, code: 'NOT_FOUND' }] });
    const mails = await h.db.sql<{ address: string; subject: string; text: string; html: string }>(
      "SELECT address, subject, text, html FROM mails WHERE template = 'staffMessage' ORDER BY address",
    );
    expect(mails.map(({ address, subject }) => [address, subject])).toEqual([
      ['ann@example.com', 'Maintenance {{name}}'],
      ['bob@example.com', 'Maintenance {{name}}'],
    ]);
    expect(mails[0]?.text).toContain('Tonight, <b>{{path}}</b>\nfor an hour.');
    expect(mails[0]?.html).toContain('&lt;b&gt;{{path}}&lt;/b&gt;');
    const audits = await h.db.sql<{ target: string; after: string }>(
      "SELECT target, after FROM audit WHERE action = 'users.mail' ORDER BY target",
    );
    expect(audits.map(({ target, after }) => [target, JSON.parse(after) as unknown])).toEqual(
      [ann, bob].map((person) => [person?.id ?? '', { username: person?.username, subject: 'Maintenance {{name}}' }]),
    );
    for (const wrong of [{ subject: 'a\nBcc: x@y.test' }, { subject: '' }, { text: '  ' }, { text: 'x'.repeat(5001) }])
      expect(await codeOf(adminUserBulk.write({ body: { ...body, ...wrong } }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(ann?.api.adminUserBulk.write({ body }) ?? NEVER)).toBe('FORBIDDEN');
  });
});

const NEVER = Promise.resolve();
