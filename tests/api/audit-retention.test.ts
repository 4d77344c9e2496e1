import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createAuditRepo } from '#server/data/repos/audit.ts';
import { writeAudit } from '#server/modules/audit/index.ts';
import { DAY } from '#shared/time.ts';
import { ctxOf, openBrowser } from '#tests/support/browser.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { plansOf } from '#tests/support/plans.ts';

describe.each(ENGINES)('the age of activity on %s', (engine) => {
  let h: Harness;
  let ann: Person;
  let staff: Person;
  beforeEach(async () => {
    h = await openHarness({ engine, tasks: 'audit.' });
    ann = await h.person('ann');
    staff = await h.person('oana', { permissions: ['admin.users.edit'] });
  });
  afterEach(() => h.close());

  const rows = () =>
    h.db.sql<{ action: string; address: string | null; device: string | null }>(
      "SELECT action, address, device FROM audit WHERE action IN ('account.login', 'users.ban') ORDER BY at_ms, action",
    );
  const logIn = () =>
    openBrowser(h, '198.51.100.40').send('POST', '/api/auth/login', { login: 'ann', password: PASSWORD });
  const LOGIN = { action: 'account.login', address: '198.51.100.40', device: 'Firefox · Linux' };

  test('T56 own activity is deleted after the days of the setting, and who changed what stays without address and device', async () => {
    await h.set({ activity_days: 40 });
    await logIn();
    const ctx = { ...(await ctxOf(h, staff.secret)), address: '198.51.100.41', userAgent: 'Firefox' };
    await h.db.uow.run((tx) => writeAudit(tx, h.host.services, ctx, { action: 'users.ban', target: ann.id }));
    const [, ban] = await rows();
    h.clock.advance(40 * DAY);
    await h.drainJobs();
    expect(await rows()).toEqual([LOGIN, ban ?? LOGIN]);
    await logIn();
    h.clock.advance(DAY);
    await h.drainJobs();
    expect(await rows()).toEqual([{ action: 'users.ban', address: null, device: null }, LOGIN]);
    const [left] = await h.db.sql("SELECT actor_id, target FROM audit WHERE action = 'users.ban'");
    expect(left).toEqual({ actor_id: staff.id, target: ann.id });
  });

  test('T52 many are taken in several transactions, and rows without an address are not looked at', async () => {
    const ctx = await ctxOf(h, ann.secret);
    await h.db.uow.run(async (tx) => {
      for (let at = 0; at < 1100; at += 1) await writeAudit(tx, h.host.services, ctx, { action: 'account.profile' });
    });
    h.clock.advance(366 * DAY);
    await h.drainJobs();
    expect(await h.db.sql("SELECT id FROM audit WHERE action = 'account.profile'")).toEqual([]);
    if (engine === 'postgres') return;
    const [search] = await plansOf(h.db, (db, raw) => createAuditRepo(db, raw).forget(h.clock.now(), 500));
    expect(search?.plan).toContain('audit_personal');
  });
});
