import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { MINUTE } from '#shared/time.ts';
import { ctxOf, guestCtx, openBrowser } from '#tests/support/browser.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.8.

describe.each(ENGINES)('what happened to an account on %s', (engine) => {
  let h: Harness;
  let mirela: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    mirela = await h.person('mirela.v');
  });
  afterEach(() => h.close());

  const activity = async (who = mirela) => (await who.api.accountActivity.activity({ query: {} })).rows;
  const profile = { first_name: 'Mirela', last_name: 'Vasile', locale: 'en' } as const;

  test('a log-in and a change stand there with device and address, the newest first', async () => {
    const browser = openBrowser(h, '198.51.100.40');
    await browser.send('POST', '/api/auth/login', { login: 'mirela.v', password: PASSWORD });
    h.clock.advance(MINUTE);
    await browser.send('PATCH', '/api/account', profile);
    expect((await activity()).slice(0, 2)).toMatchObject([
      { action: 'account.profile', own: true, address: '198.51.100.40', device: 'Firefox · Linux' },
      { action: 'account.login', own: true, address: '198.51.100.40', device: 'Firefox · Linux' },
    ]);
  });

  test('T59 what staff did to an account is there without who they are and where they sit, and nothing of others is', async () => {
    const staff = await h.person('staff.s', { permissions: ['admin.users.edit'] });
    const ctx = await ctxOf(h, staff.secret);
    await h.host.services.identity.ban(ctx, mirela.id, { reason: 'spam', untilMs: null });
    await h.host.services.identity.unban(ctx, mirela.id);
    const { secret } = await h.host.services.identity.openSession(mirela.id, { address: '192.0.2.1', userAgent: '' });
    const { rows } = await h.host.services.activity.list(await ctxOf(h, secret), null);
    expect(rows.slice(0, 2)).toMatchObject([
      { action: 'users.unban', own: false, address: null, device: null },
      { action: 'users.ban', own: false, address: null, device: null },
    ]);
    expect(JSON.stringify(await activity(staff))).not.toContain('users.ban');
  });

  test('older pages follow each other without a gap and without a row twice', async () => {
    const ctx = await ctxOf(h, mirela.secret);
    for (let at = 0; at < 60; at += 1) {
      // Several in one moment: the id tells them apart.
      if (at % 4 === 0) h.clock.advance(1);
      await h.host.services.identity.updateProfile(ctx, { ...profile, first_name: `M${at}` });
    }
    const seen: string[] = [];
    for (let before: string | null = ''; before !== null;) {
      const page: Awaited<ReturnType<typeof mirela.api.accountActivity.activity>> =
        await mirela.api.accountActivity.activity({ query: before === '' ? {} : { before } });
      seen.push(...page.rows.map(({ id }) => id));
      before = page.older;
    }
    const stored = await h.db.sql<{ id: string }>('SELECT id FROM audit ORDER BY at_ms DESC, id DESC');
    expect(seen).toEqual(stored.map(({ id }) => id));
    expect(seen.length).toBeGreaterThan(60);
  });

  test('a place that is none is refused', async () => {
    const browser = openBrowser(h);
    browser.cookies.set(SESSION_COOKIE, mirela.secret);
    for (const before of ['x', '1', '1.', `1.${'a'.repeat(65)}`, '1.a%20b', '1%00.a']) {
      for (const list of ['activity', 'mails'])
        expect([before, (await browser.get(`/api/account/${list}?before=${before}`)).status]).toEqual([before, 422]);
    }
  });

  test('T35 e-mails can be read again, without the tokens of their links and without codes', async () => {
    await h.host.services.identity.requestPasswordReset(guestCtx(), 'mirela.v', '');
    await h.drainJobs();
    await h.db.uow.run((tx) =>
      h.host.services.mailing.sendTo(tx, mirela.id, 'panelAccount', { code: 'ABCD-1234', panel: 'EU', path: '/' }),
    );
    const { rows, older } = await mirela.api.accountActivity.mails({ query: {} });
    expect(rows).toMatchObject([
      { subject: null, text: null, state: 'kept' },
      { subject: 'Set a new password', address: 'mirela.v@example.com', state: 'kept' },
    ]);
    expect(older).toBeNull();
    expect(rows[1]?.text).toContain('reset-password?token=…');
    const stored = await h.db.sql<{ text: string }>("SELECT text FROM mails WHERE template = 'passwordReset'");
    const token = /token=([\w-]+)/.exec(stored[0]?.text ?? '')?.[1] ?? '';
    expect(token.length).toBeGreaterThan(40);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain('ABCD-1234');
  });

  test('T24 nobody reads the e-mails of others, and pages of many follow each other', async () => {
    const tobi = await h.person('tobi');
    for (let at = 0; at < 30; at += 1)
      await h.db.uow.run((tx) =>
        h.host.services.mailing.sendTo(tx, mirela.id, 'capacityFree', { location: `EU ${at}`, path: '/' }),
      );
    expect((await tobi.api.accountActivity.mails({ query: {} })).rows).toEqual([]);
    const first = await mirela.api.accountActivity.mails({ query: {} });
    const second = await mirela.api.accountActivity.mails({ query: { before: first.older ?? '' } });
    expect([first.rows.length, second.rows.length, second.older]).toEqual([25, 5, null]);
    expect(new Set([...first.rows, ...second.rows].map(({ id }) => id)).size).toBe(30);
  });
});
