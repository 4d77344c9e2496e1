import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Permission } from '#shared/permissions.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { ctxOf, guestCtx } from '#tests/support/browser.ts';
import { codeOf } from '#tests/support/coins.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp } from '#tests/support/smtp.ts';

let h: Harness;
let ann: Person;
beforeEach(async () => {
  h = await openHarness();
  ann = await h.person('ann');
});
afterEach(() => h.close());

const identity = () => h.host.services.identity;
const WHERE = { address: '192.0.2.1', userAgent: '' };
/** Topics that are published while something is done. */
async function topicsOf(work: () => Promise<unknown>, ...topics: readonly string[]): Promise<string[]> {
  const seen: string[] = [];
  const stops = topics.map((topic) => h.db.bus.subscribe(topic, () => void seen.push(topic)));
  await work();
  for (const stop of stops) stop();
  return seen;
}
/** What the audit log has of sessions, the newest first. */
async function audited() {
  const rows = await h.db.uow.read((tx) => tx.audit.latest(20));
  return rows
    .filter(({ action }) => /logout|session/.test(action))
    .map(({ action, actorId, target, after }) => ({ action, actorId, target, after: after ?? null }));
}

describe('sessions and what is noted of them', () => {
  test('a log-out ends this session alone, is audited once, and closes what stands on it', async () => {
    const other = await identity().openSession(ann.id, WHERE);
    const { sessionId } = (await ctxOf(h, ann.secret)).actor;
    const logout = () => identity().logout(guestCtx(), ann.secret);
    expect(await topicsOf(logout, `session:${sessionId}`, `session:${other.sessionId}`)).toEqual([
      `session:${sessionId}`,
    ]);
    expect([await identity().resolve(ann.secret), (await identity().resolve(other.secret))?.actor.userId]).toEqual([
      null,
      ann.id,
    ]);
    await logout();
    await identity().logout(guestCtx(), 'a secret that nobody has');
    expect(await audited()).toEqual([{ action: 'account.logout', actorId: ann.id, target: ann.id, after: null }]);
  });

  test('a user sees which session is the one they speak through, and an ended one is audited by its number', async () => {
    const ctx = await ctxOf(h, ann.secret);
    const { sessionId: id } = await identity().openSession(ann.id, WHERE);
    const current = async () =>
      (await identity().listSessions(ctx)).filter((each) => each.current).map((each) => each.id);
    expect(await current()).toEqual([ctx.actor.sessionId]);
    expect(await topicsOf(() => identity().endSession(ctx, id), `session:${id}`)).toEqual([`session:${id}`]);
    expect(await codeOf(identity().endSession(ctx, id))).toBe('NOT_FOUND');
    const row = { action: 'account.session_end', actorId: ann.id, target: id, after: null };
    expect(await audited()).toEqual([row]);
  });

  test('the end of all others is audited with their number, and not where there were none', async () => {
    const ctx = await ctxOf(h, ann.secret);
    expect(await identity().endOtherSessions(ctx)).toBe(0);
    expect(await audited()).toEqual([]);
    for (let left = 3; left > 0; left -= 1) await identity().openSession(ann.id, WHERE);
    expect(await identity().endOtherSessions(ctx)).toBe(3);
    const after = { ended: 3 };
    const row = { action: 'account.sessions_end', actorId: ann.id, target: ann.id };
    expect(await audited()).toMatchObject([row]);
    expect(JSON.stringify((await audited())[0]?.after)).toContain(JSON.stringify(after).slice(1, -1));
    expect((await identity().listSessions(ctx)).map(({ id }) => id)).toEqual([ctx.actor.sessionId]);
  });

  test('T35 a log-in ends the session that the browser had, and closes what stood on it', async () => {
    const { sessionId } = (await ctxOf(h, ann.secret)).actor;
    const login = () =>
      identity().login(guestCtx(), { login: 'ann', password: PASSWORD }, { secret: ann.secret, device: 'a-device' });
    expect(await topicsOf(login, `session:${sessionId}`)).toEqual([`session:${sessionId}`]);
    expect(await identity().resolve(ann.secret)).toBeNull();
  });

  test('the actor of a session is resolved again after a change of account, role, permissions or settings', async () => {
    const actor = async () => (await identity().resolve(ann.secret))?.actor;
    expect(await actor()).toMatchObject({ verified: true, permissions: [] });
    const role = (await h.db.sql<{ id: string }>("SELECT id FROM roles WHERE key = 'vip'"))[0]?.id ?? '';
    await h.db.sql('UPDATE users SET role_id = ? WHERE id = ?', [role, ann.id]);
    h.db.bus.publish([`account:${ann.id}`]);
    expect((await actor())?.permissions).toEqual(['user.permission.vip']);
    await h.db.sql('DELETE FROM role_permissions WHERE role_id = ?', [role]);
    h.db.bus.publish(['roles']);
    expect((await actor())?.permissions).toEqual([]);
    await h.db.sql('UPDATE users SET username = ? WHERE id = ?', ['anna', ann.id]);
    expect((await actor())?.username).toBe('ann');
    h.db.bus.publish([`account:${ann.id}`]);
    expect((await actor())?.username).toBe('anna');
    await h.db.sql('UPDATE users SET username = ? WHERE id = ?', ['annika', ann.id]);
    h.clock.advance(MINUTE - 1);
    expect((await actor())?.username).toBe('anna');
    h.clock.advance(1);
    expect((await actor())?.username).toBe('annika');
  });

  test('a session that is used in its last moment lives on, also from memory', async () => {
    const secret = ann.secret;
    h.clock.advance(30 * DAY - 1);
    expect((await identity().resolve(secret))?.actor.userId).toBe(ann.id);
    h.clock.advance(1);
    const found = await identity().resolve(secret);
    expect(found?.expiresMs).toBe(h.clock.now() - 1 + 30 * DAY);
    h.clock.advance(30 * DAY - 1);
    expect(await identity().resolve(secret)).toBeNull();
  });

  test('an account without a confirmed address is verified where nobody asks for one, and not where it is asked for', async () => {
    const smtp = await openSmtp();
    const own = await openHarness({ config: { mail: smtp.config } });
    const bob = await own.person('bob');
    await own.db.sql('UPDATE users SET verified_ms = NULL WHERE id = ?', [bob.id]);
    const verified = async () => (await own.host.services.identity.resolve(bob.secret))?.actor.verified;
    expect(await verified()).toBe(true);
    await own.set({ mail_verification: true });
    expect(await verified()).toBe(false);
    await own.set({ mail_verification: false });
    expect(await verified()).toBe(true);
    await own.close();
    await smtp.close();
  });

  test('T34 no session is opened for who is banned or not there, not even by a tool', async () => {
    await identity().ban(null, ann.id, { reason: 'a reason', untilMs: null });
    expect(await codeOf(identity().openSession(ann.id, WHERE))).toBe('NOT_FOUND');
    expect(await codeOf(identity().openSession('01890000-0000-7000-8000-000000000000', WHERE))).toBe('NOT_FOUND');
    expect(await h.db.sql('SELECT id FROM sessions')).toEqual([]);
  });

  test('T52 the session that ends because there are too many closes what stands on it', async () => {
    const { sessionId } = (await ctxOf(h, ann.secret)).actor;
    h.clock.advance(1);
    for (let made = 1; made < 50; made += 1) await identity().openSession(ann.id, WHERE);
    const one = () => identity().openSession(ann.id, WHERE);
    expect(await topicsOf(one, `session:${sessionId}`)).toEqual([`session:${sessionId}`]);
    expect(await identity().resolve(ann.secret)).toBeNull();
  });

  test('T54 a session keeps 400 signs of what its browser said it was', async () => {
    const { sessionId } = await identity().openSession(ann.id, { ...WHERE, userAgent: `a${'b'.repeat(999)}` });
    const rows = await h.db.sql<{ user_agent: string }>('SELECT user_agent FROM sessions WHERE id = ?', [sessionId]);
    expect(rows).toEqual([{ user_agent: `a${'b'.repeat(399)}` }]);
  });

  test('T30 who has to set up a second factor is who the setting names, and one right of staff among others makes staff', async () => {
    const staff = await h.person('sam', { permissions: ['user.permission.vip', 'admin.tickets.view'] });
    const vip = await h.person('vip', { permissions: ['user.permission.vip'] });
    const asked = async () => {
      const actors = await Promise.all(
        [staff, vip].map(async ({ secret }) => (await identity().resolve(secret))?.actor),
      );
      return actors.map((actor) => [actor?.mustSetUp, actor?.waiting]);
    };
    expect(await asked()).toEqual([
      [false, false],
      [false, false],
    ]);
    await h.set({ force_2fa: 'staff' });
    expect(await asked()).toEqual([
      [true, false],
      [false, false],
    ]);
    await h.set({ force_2fa: 'all' });
    expect(await asked()).toEqual([
      [true, false],
      [true, false],
    ]);
  });

  test('staff read the sessions of a user and end them by the right to change users alone', async () => {
    const look: readonly Permission[] = ['admin.dashboard.view', 'admin.users.list'];
    const [reader, editor] = await Promise.all(
      [look, [...look, 'admin.users.edit' as const]].map(async (permissions, index) =>
        ctxOf(h, (await h.person(`staff${index}`, { permissions })).secret),
      ),
    );
    if (!reader || !editor) throw new Error('nobody of staff');
    expect(await codeOf(identity().listSessionsOf(reader, ann.id))).toBe('FORBIDDEN');
    expect(await codeOf(identity().endSessionsOf(reader, ann.id, null))).toBe('FORBIDDEN');
    expect((await identity().resolve(ann.secret))?.actor.userId).toBe(ann.id);
    const [only] = await identity().listSessionsOf(editor, ann.id);
    expect(only?.id).toBe((await ctxOf(h, ann.secret)).actor.sessionId);
    expect(await identity().endSessionsOf(editor, ann.id, null)).toBe(1);
    expect(await identity().resolve(ann.secret)).toBeNull();
  });

  test('T52 a secret has 1 to 200 signs, and nobody asks the database for another', async () => {
    const give = (secret: string) =>
      h.db.sql('UPDATE sessions SET token_hash = ? WHERE user_id = ?', [
        new Bun.CryptoHasher('sha256').update(secret).digest('hex'),
        ann.id,
      ]);
    for (const length of [1, 200, 0, 201]) {
      const name = length === 1 || length === 200 ? 'ann' : null;
      await give('s'.repeat(length));
      expect([length, (await identity().resolve('s'.repeat(length)))?.actor.username ?? null]).toEqual([length, name]);
    }
  });
});
