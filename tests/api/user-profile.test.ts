import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { RESOURCE_KINDS, type Resources } from '#shared/constants.ts';
import { ApiError } from '#shared/contract/client.ts';
import { guestCtx } from '#tests/support/browser.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.3: staff edit identity and limits of a user.

const NOBODY = '01890000-0000-7000-8000-000000000000';
const MAIL = {
  host: '127.0.0.1',
  port: 9,
  security: 'none' as const,
  username: null,
  password: null,
  fromAddress: 'no-reply@panel.example',
  fromName: 'Spawnpoint',
};
const ended = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) =>
      error instanceof ApiError ? [error.code, ...Object.values(error.fields).flat()].join(' ') : Promise.reject(error),
  );

describe.each(ENGINES)('editing a user on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let ann: Person;
  beforeEach(async () => {
    h = await openHarness({ engine, config: { mail: MAIL } });
    staff = await h.person('oana', { permissions: ['admin.users.edit'] });
    ann = await h.person('ann');
  }, 300_000);
  afterEach(() => h.close());

  const setEmail = (who: Person, email: string, confirmed: boolean, by = staff) =>
    ended(by.api.adminUserDetails.setEmail({ params: { id: who.id }, body: { email, confirmed } }));
  const row = async (id = ann.id) =>
    (
      await h.db.sql<{ email: string; verified_ms: number | null }>(
        'SELECT email, verified_ms FROM users WHERE id = ?',
        [id],
      )
    )[0];
  const mails = (template: string) =>
    h.db.sql<{ address: string; text: string }>('SELECT address, text FROM mails WHERE template = ?', [template]);
  const limitsOf = (id = ann.id) => h.db.uow.read((tx) => tx.limits.of(id));
  const setLimits = (limits: Resources, seen: Resources, who = ann, by = staff) => {
    const body = {
      ...limits,
      ...Object.fromEntries(RESOURCE_KINDS.map((kind) => [`seen_${kind}`, seen[kind]])),
    } as Parameters<typeof staff.api.adminUserDetails.setLimits>[0]['body'];
    return ended(by.api.adminUserDetails.setLimits({ params: { id: who.id }, body }));
  };

  test('T40 nobody edits a user of their own rank or above, themselves, a deleted account or one that is not there', async () => {
    const peer = await h.person('peer', { permissions: ['admin.users.edit'] });
    const names = { first_name: 'Eve', last_name: 'Mal', locale: 'en' as const };
    const seen = await limitsOf(peer.id);
    for (const who of [peer, staff]) {
      const params = { id: who.id };
      expect(await ended(staff.api.adminUserDetails.updateProfile({ params, body: names }))).toBe('FORBIDDEN');
      expect(await setEmail(who, 'eve@example.com', true)).toBe('FORBIDDEN');
      expect(await setLimits({ ...seen, memory: 9999 }, seen, who)).toBe('FORBIDDEN');
    }
    const nobody = { ...ann, id: NOBODY };
    const params = { id: NOBODY };
    expect(await ended(staff.api.adminUserDetails.updateProfile({ params, body: names }))).toBe('NOT_FOUND');
    expect(await setEmail(nobody, 'eve@example.com', true)).toBe('NOT_FOUND');
    expect(await setLimits(seen, seen, nobody)).toBe('NOT_FOUND');
    await h.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [ann.id]);
    const own = { id: ann.id };
    expect(await ended(staff.api.adminUserDetails.updateProfile({ params: own, body: names }))).toBe('CONFLICT');
    expect(await setEmail(ann, 'eve@example.com', true)).toBe('CONFLICT');
    expect(await setLimits(seen, seen)).toBe('CONFLICT');
  });

  test('a name, a language and a time zone are changed with an entry in the audit log, which the user finds in their activity', async () => {
    const body = { first_name: 'Anna', last_name: 'Lee', locale: 'de', time_zone: 'Asia/Tokyo' } as const;
    const params = { id: ann.id };
    expect(await ended(staff.api.adminUserDetails.updateProfile({ params, body }))).toBe('ok');
    expect(await ann.api.account.get()).toMatchObject(body);
    const { rows } = await ann.api.accountActivity.activity();
    expect(rows.find(({ action }) => action === 'users.profile')).toMatchObject({ own: false, address: null });
  });

  test('T36 another address is not confirmed by itself, the old one gets an e-mail and takes the account back', async () => {
    await h.set({ mail_verification: true });
    const bob = await h.person('bob');
    expect(await setEmail(ann, 'BOB@example.com', true)).toBe('VALIDATION_FAILED EMAIL_TAKEN');
    expect(await setEmail(ann, 'ann@example.com', true)).toBe('VALIDATION_FAILED EMAIL_TAKEN');
    expect(await setEmail(ann, 'not an address', true)).toMatch('VALIDATION_FAILED');
    expect(await setEmail(ann, 'new@example.com', false)).toBe('ok');
    expect(await row()).toEqual({ email: 'new@example.com', verified_ms: null });
    expect((await mails('verify')).map(({ address }) => address)).toEqual(['new@example.com']);
    const [notice] = await mails('emailChanged');
    expect(notice?.address).toBe('ann@example.com');
    // While it can go back there, nobody else gets the old address.
    expect(await setEmail(bob, 'ann@example.com', true)).toBe('VALIDATION_FAILED EMAIL_TAKEN');
    const token = /token=([\w-]+)/.exec(notice?.text ?? '')?.[1] ?? '';
    await h.host.services.identity.emailChange.undo(guestCtx(), token);
    expect((await row())?.email).toBe('ann@example.com');
    const audit = await h.db.sql("SELECT actor_id FROM audit WHERE action = 'account.email'");
    expect(audit).toEqual([{ actor_id: staff.id }]);
  });

  test('an address that staff know to be the user’s is confirmed, and links that were sent to the old one are void', async () => {
    await h.host.services.identity.requestPasswordReset(guestCtx(), 'ann', '');
    await h.drainJobs();
    const [reset] = await mails('passwordReset');
    expect(await setEmail(ann, 'new@example.com', true)).toBe('ok');
    expect((await row())?.verified_ms).toBe(h.clock.now());
    expect(await mails('verify')).toEqual([]);
    const token = /token=([\w-]+)/.exec(reset?.text ?? '')?.[1] ?? 'none';
    const { resetValid: isValid } = await h.host.services.identity.getAuthOptions({ resetToken: token });
    expect([reset?.address, isValid]).toEqual(['ann@example.com', false]);
  });

  test('two users who are given one address at once do not both get it', async () => {
    const bob = await h.person('bob');
    const ends = await Promise.all([setEmail(ann, 'one@example.com', true), setEmail(bob, 'one@example.com', true)]);
    expect(ends.toSorted()).toEqual(['VALIDATION_FAILED EMAIL_TAKEN', 'ok']);
  });

  test('T21 limits are set as they were seen: what was bought meanwhile is not lost, and less than is in use is refused', async () => {
    const seen = await limitsOf();
    expect(await setLimits({ ...seen, memory: 4096, slots: 3 }, seen)).toBe('ok');
    expect(await limitsOf()).toEqual({ ...seen, memory: 4096, slots: 3 });
    // A purchase came between opening and saving the form.
    const opened = await limitsOf();
    await h.db.uow.run((tx) => tx.limits.add(ann.id, 'memory', 1024));
    expect(await setLimits({ ...opened, disk: 9000 }, opened)).toBe('CONFLICT');
    const fresh = await limitsOf();
    expect(fresh.memory).toBe(5120);
    const ends = await Promise.all([
      setLimits({ ...fresh, cpu: 300 }, fresh),
      setLimits({ ...fresh, cpu: 400 }, fresh),
    ]);
    expect(ends.toSorted()).toEqual(['CONFLICT', 'ok']);
    await h.db.sql(
      `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
         revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms, deleted_ms)
       VALUES ('s', ?, 'n', '', 'l', 'c', 'e', 2048, 512, 50, 1, 0, 0, '{}', 'active', 'running', 1, 1, 0, 0, 0, 1, 1, NULL)`,
      [ann.id],
    );
    const used = await limitsOf();
    expect(await setLimits({ ...used, memory: 1024, slots: 0 }, used)).toBe('VALIDATION_FAILED TOO_SMALL TOO_SMALL');
    expect(await setLimits({ ...used, memory: 2048 }, used)).toBe('ok');
    expect(await setLimits({ ...used, memory: -1 }, used)).toMatch('VALIDATION_FAILED');
    const audit = await h.db.sql<{ before: string; after: string }>(
      "SELECT before, after FROM audit WHERE action = 'users.limits' ORDER BY at_ms, id LIMIT 1",
    );
    expect(JSON.parse(audit[0]?.after ?? '{}')).toEqual({ username: 'ann', memory: 4096, slots: 3 });
  });
});
