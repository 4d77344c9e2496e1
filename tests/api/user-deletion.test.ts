import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createDeletion, DELETION_JOB } from '#server/modules/deletion/index.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { ApiError } from '#shared/contract/client.ts';
import { iso, MINUTE } from '#shared/time.ts';
import { ctxOf } from '#tests/support/browser.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.3: staff delete accounts.

const NOBODY = '01890000-0000-7000-8000-000000000000';
const ended = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error)),
  );
describe.each(ENGINES)('deleting accounts of users on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let ann: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    staff = await h.person('oana', { permissions: ['admin.users.delete', 'admin.users.edit'] });
    ann = await h.person('ann');
  }, 300_000);
  afterEach(() => h.close());

  const remove = (id: string, name: string, way: 'anonymise' | 'delete' = 'anonymise', by = staff) =>
    ended(by.api.adminAccounts.remove({ params: { id }, body: { name, way } }));
  const row = async (id: string) => (await h.db.sql('SELECT status, username FROM users WHERE id = ?', [id]))[0];
  const owner = async (username: string) => {
    const person = await h.person(username);
    await h.db.sql("UPDATE users SET role_id = (SELECT id FROM roles WHERE key = 'owner') WHERE id = ?", [person.id]);
    return person;
  };

  test('staff see what hangs on an account, and why they may not delete it', async () => {
    await h.creditPerson(ann.id, 250);
    await h.host.services.deletion.request(await ctxOf(h, ann.secret), PASSWORD);
    const see = (id: string, by = staff) => by.api.adminAccounts.dependants({ params: { id } });
    expect(await see(ann.id)).toMatchObject({
      username: 'ann',
      servers: [],
      credits: 250,
      counts: { sessions: 1, payments: 0 },
      has_records: true,
      due_at: iso(h.clock.now() + 7 * 24 * 60 * MINUTE),
      refusal: null,
    });
    expect(await see(staff.id)).toMatchObject({ refusal: 'own' });
    const peer = await h.person('peer', { permissions: ['admin.users.delete'] });
    expect(await see(peer.id)).toMatchObject({ refusal: 'rank' });
    expect(await see(peer.id, await owner('boss'))).toMatchObject({ refusal: null, has_records: false });
    expect(await ended(see(NOBODY))).toBe('NOT_FOUND');
    const editor = await h.person('editor', { permissions: ['admin.users.edit'] });
    expect(await ended(see(ann.id, editor))).toBe('FORBIDDEN');
    for (const [id, name, by] of [
      [ann.id, 'ann', editor],
      [staff.id, 'oana', staff],
      [peer.id, 'peer', staff],
    ] as const)
      expect(await remove(id, name, 'anonymise', by)).toBe('FORBIDDEN');
    expect(await remove(ann.id, 'anna')).toBe('NAME_MISMATCH');
    expect(await remove(NOBODY, 'ann')).toBe('NOT_FOUND');
    expect(await row(ann.id)).toEqual({ status: 'active', username: 'ann' });
  });

  test('T34 an account closes at once, a banned one and one that its user has deleted later too, and is erased by the job', async () => {
    await h.creditPerson(ann.id, 250);
    const { identity, deletion } = h.host.services;
    await deletion.request(await ctxOf(h, ann.secret), PASSWORD);
    await identity.ban(null, ann.id, { reason: 'spam', untilMs: null });
    expect(await remove(ann.id, 'ann', 'delete')).toBe('CONFLICT');
    expect(await remove(ann.id, 'ann')).toBe('ok');
    expect(await row(ann.id)).toEqual({ status: 'deleted', username: 'ann' });
    expect(await identity.resolve(ann.secret)).toBeNull();
    expect(await remove(ann.id, 'ann')).toBe('CONFLICT');
    await h.drainJobs();
    expect(await row(ann.id)).toMatchObject({ status: 'deleted', username: expect.stringMatching(/^deleted-/) });
    expect(await h.balance(ann.id)).toBe(0);
    expect(await h.db.sql('SELECT user_id FROM account_deletions')).toEqual([]);
    const audit = await h.db.sql('SELECT actor_id FROM audit WHERE action = ? AND target = ?', [
      'users.delete',
      ann.id,
    ]);
    expect(audit).toEqual([{ actor_id: staff.id }]);
  });

  test('T56 an account that no records name is removed entirely, and only the audit log remembers its id', async () => {
    expect(await remove(ann.id, 'ann', 'delete')).toBe('ok');
    await h.drainJobs();
    expect(await row(ann.id)).toBeUndefined();
    const tables = await h.db.sql<{ name: string }>(
      engine === 'sqlite'
        ? "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT NULL AND name NOT LIKE 'sqlite_%'"
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
    );
    const naming: string[] = [];
    for (const { name } of tables) {
      const text = JSON.stringify(await h.db.sql(`SELECT * FROM ${name}`));
      if (text.includes(ann.id) || /ann@example\.com|"ann"/.test(text)) naming.push(name);
    }
    expect(naming.toSorted()).toEqual(['audit', 'jobs']);
    expect(await h.person('ann')).toBeTruthy();
  });

  test('an account that gets records while it is deleted entirely is anonymised, and a kept record keeps the row', async () => {
    expect(await remove(ann.id, 'ann', 'delete')).toBe('ok');
    await h.creditPerson(ann.id, 5);
    await h.drainJobs();
    expect(await row(ann.id)).toMatchObject({ status: 'deleted', username: expect.stringMatching(/^deleted-/) });
    const { uow } = h.db;
    const records = (id: string) => uow.read((tx) => tx.deletions.hasRecords(id));
    const bob = await h.person('bob');
    expect(await records(bob.id)).toBe(false);
    await h.db.sql(
      "INSERT INTO identity_history (provider, subject, user_id, first_ms, last_ms) VALUES ('discord', '1', ?, 0, 0)",
      [bob.id],
    );
    expect(await records(bob.id)).toBe(true);
    // What somebody did as staff stays theirs.
    expect(await records(staff.id)).toBe(true);
  });

  test('T38 two owners who delete each other at once leave one of them, and the last is not deleted', async () => {
    const [one, two] = [await owner('one'), await owner('two')];
    const ends = await Promise.all([remove(two.id, 'two', 'anonymise', one), remove(one.id, 'one', 'anonymise', two)]);
    expect(ends.filter((end) => end === 'ok')).toHaveLength(1);
    const left = await h.db.sql<{ id: string; username: string }>(
      "SELECT id, username FROM users WHERE status = 'active' AND username IN ('one', 'two')",
    );
    expect(left).toHaveLength(1);
    const last = left[0] ?? { id: '', username: '' };
    const root = await h.person('root', { permissions: ['admin.users.delete'] });
    await h.db.sql('UPDATE roles SET rank = 100000 WHERE id = (SELECT role_id FROM users WHERE id = ?)', [root.id]);
    expect(await remove(last.id, last.username, 'anonymise', root)).toBe('LAST_OWNER');
    expect(
      await codeOf(h.host.services.deletion.staff.deleteOf(null, last.id, { name: last.username, whole: false })),
    ).toBe('LAST_OWNER');
  });

  test('an account that ten delete at once is deleted by one of them, and its user cannot call it back any more', async () => {
    const { staff: byStaff, cancel } = h.host.services.deletion;
    const [ctx, own] = [await ctxOf(h, staff.secret), await ctxOf(h, ann.secret)];
    const all = atOnce(10, () => byStaff.deleteOf(ctx, ann.id, { name: 'ann', whole: false }));
    expect(await all).toEqual({ ok: 1, CONFLICT: 9 });
    // Whoever asked before the account closed comes too late: what has closed is erased.
    expect(await codeOf(cancel(own))).toBe('UNAUTHENTICATED');
    await h.drainJobs();
    expect(await row(ann.id)).toMatchObject({ username: expect.stringMatching(/^deleted-/) });
  });

  test('a deletion by staff that is killed between any two of its steps is gone on with, and ends the same', async () => {
    await h.creditPerson(ann.id, 70);
    await remove(ann.id, 'ann');
    for (let kill = 0; kill <= 3; kill += 1) {
      const dying = createDeletion({ ...h.host.services, uow: dyingAfter(h.db.uow, kill) });
      await dying.jobs[DELETION_JOB]?.handle({ userId: ann.id }).catch(() => undefined);
    }
    h.clock.advance(20 * MINUTE);
    await h.drainJobs();
    expect(await row(ann.id)).toMatchObject({ username: expect.stringMatching(/^deleted-/) });
    expect(await h.db.sql("SELECT id FROM audit WHERE action = 'users.erase'")).toHaveLength(1);
    expect(await h.balance(ann.id)).toBe(0);
  });
});

/** A unit of work that dies after so many transactions: what comes later never begins. */
function dyingAfter(uow: UnitOfWork, count: number): UnitOfWork {
  let left = count;
  return {
    read: (work) => uow.read(work),
    run: async (work) => {
      if ((left -= 1) < 0) throw new Error('killed');
      return uow.run(work);
    },
  };
}
