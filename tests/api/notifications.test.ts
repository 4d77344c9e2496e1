import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sentenceTexts } from '#server/mail/texts.ts';
import { purgeNotifications, sendDigests } from '#server/modules/notifications/index.ts';
import { isAlways, NOTIFICATION_SUBJECTS, SUBJECT_NAMES, type NotificationKind } from '#shared/notifications.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { ctxOf } from '#tests/support/browser.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp, type SmtpStandIn } from '#tests/support/smtp.ts';

// Shows behaviour 7.5. The clock stands at noon UTC; users live in the installation's zone, UTC, unless said otherwise.

setDefaultTimeout(300_000);

describe.each(ENGINES)('notifications on %s', (engine) => {
  let h: Harness;
  let smtp: SmtpStandIn;
  let who: Person;
  let made = 0;
  beforeAll(async () => {
    smtp = await openSmtp();
    h = await openHarness({ engine, config: { mail: smtp.config } });
    await h.set({ app_timezone: 'UTC' });
  });
  afterAll(async () => {
    await h.close();
    await smtp.close();
  });
  beforeEach(async () => {
    h.clock.set(TEST_START + made * 10 * DAY);
    await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ?', [h.clock.now(), h.clock.now() + 30 * DAY]);
    who = await h.person(`player${(made += 1)}`);
  });

  const notify = (kind: NotificationKind, data: Record<string, string | number> = {}, to = who, key?: string) =>
    h.db.uow.run((tx) =>
      h.host.services.notifications.notify(tx, [{ userId: to.id, kind, data, uniqueKey: key ?? null }]),
    );
  const kinds = async (of = who) => (await of.api.notifications.list()).notifications.map(({ kind }) => kind);
  type Body = Parameters<Person['api']['notifications']['saveSettings']>[0]['body'];
  const choose = (more: Partial<Body>, of = who) =>
    of.api.notifications.saveSettings({
      body: {
        app: SUBJECT_NAMES,
        push: [],
        mail: {},
        digest_hour: 8,
        quiet: false,
        quiet_from: 22,
        quiet_until: 8,
        ...more,
      },
    });
  const mails = async (of = who) =>
    (
      await h.db.sql<{ template: string; subject: string; text: string }>(
        'SELECT template, subject, text FROM mails WHERE user_id = ? ORDER BY created_ms, id',
        [of.id],
      )
    ).map(({ template, subject, text }) => ({ template, subject, text }));
  const templates = async (of = who) => (await mails(of)).map(({ template }) => template);
  const digest = () => sendDigests({ ...h.host.services, texts: sentenceTexts });
  const ready = (n: number, of = who) =>
    h.db.uow.run((tx) =>
      h.host.services.events.emit(tx, 'server.ready', {
        userId: of.id,
        serverId: `s${n}-${of.id}`,
        name: `Server ${n}`,
        entryId: `e${n}-${of.id}`,
        address: '',
      }),
    );

  test('whoever chose nothing has the defaults, and staff alone the subjects of staff', async () => {
    const staff = await h.person(`staff${made}`, { permissions: ['admin.tickets.list'] });
    const seen = (await who.api.notifications.settings()).ways;
    expect(seen.map(({ subject }) => subject)).toEqual(
      SUBJECT_NAMES.filter((name) => NOTIFICATION_SUBJECTS[name].group !== 'staff'),
    );
    expect(seen.find(({ subject }) => subject === 'expiry')).toEqual({
      subject: 'expiry',
      group: 'servers',
      app: true,
      mail: 'now',
      push: true,
      always: false,
    });
    expect((await staff.api.notifications.settings()).ways.map(({ subject }) => subject)).toEqual(SUBJECT_NAMES);
  });

  test('what was chosen is kept, security stays on, and a reset brings the defaults back', async () => {
    const before = await who.api.notifications.settings();
    await choose({ app: ['gifts'], push: ['security'], mail: { gifts: 'daily' }, digest_hour: 18, quiet: true });
    const after = await who.api.notifications.settings();
    expect(after).toMatchObject({ digest_hour: 18, quiet: { from: 22, until: 8 }, time_zone: 'UTC' });
    for (const { subject, app, mail, push, always } of after.ways)
      expect({ subject, app, mail, push, always }).toEqual({
        subject,
        app: subject === 'gifts' || isAlways(subject),
        mail: isAlways(subject) ? 'now' : subject === 'gifts' ? 'daily' : 'off',
        push: subject === 'security',
        always: isAlways(subject),
      });
    await who.api.notifications.resetSettings();
    expect(await who.api.notifications.settings()).toEqual(before);
  });

  test('subjects that nobody knows, hours outside of a day and quiet hours that never end are refused', async () => {
    const wrong: object[] = [
      { app: ['lottery'] },
      { mail: { gifts: 'hourly' } },
      { digest_hour: 24 },
      { digest_hour: 7.5 },
      { quiet: true, quiet_from: 8, quiet_until: 8 },
      { extra: 1 },
    ];
    for (const body of wrong) expect(await codeOf(choose(body))).toBe('VALIDATION_FAILED');
    expect((await who.api.notifications.settings()).digest_hour).toBe(8);
  });

  test('what a member of staff chose for staff stays when they save as a member', async () => {
    const staff = await h.person(`staff${made}`, { permissions: ['admin.tickets.list'] });
    await choose({ app: ['gifts'], mail: { reviews: 'daily' } }, staff);
    const ctx = await ctxOf(h, staff.secret);
    const demoted = { ...ctx, actor: { ...ctx.actor, permissions: [] } };
    const chosen = { app: ['gifts'], push: [], mail: { gifts: 'now', reviews: 'now' } } as const;
    await h.host.services.notificationSettings.save(demoted, { ...chosen, digestHour: 8, quiet: null });
    const stored = await h.db.uow.read((tx) => tx.notifications.findChoices(staff.id));
    expect(stored?.choices.gifts).toEqual({ app: true, mail: 'now', push: false });
    expect(stored?.choices.reviews).toEqual({ app: false, mail: 'daily', push: false });
  });

  test('the bell lists what is chosen for the app; the rest is not even unread', async () => {
    await choose({ app: ['payments'] });
    await notify('giftReceived', { name: 'ann', cost: 5 });
    await notify('creditsAdded', { cost: 5 });
    await notify('passwordChanged');
    expect(await kinds()).toEqual(['passwordChanged', 'creditsAdded']);
    expect((await who.api.notifications.list()).unread).toBe(2);
  });

  test('one is marked as read, or all of them, and never those of others', async () => {
    await notify('creditsAdded', { cost: 1 });
    await notify('creditsAdded', { cost: 2 });
    const [first] = (await who.api.notifications.list()).notifications;
    const other = await h.person(`other${made}`);
    await other.api.notifications.markRead({ params: { id: first?.id ?? '' } });
    expect((await who.api.notifications.list()).unread).toBe(2);
    await who.api.notifications.markRead({ params: { id: first?.id ?? '' } });
    expect((await who.api.notifications.list()).notifications.map(({ read }) => read)).toEqual([true, false]);
    await who.api.notifications.markAllRead();
    expect((await who.api.notifications.list()).unread).toBe(0);
  });

  test('a kind with a mail of its own comes as that mail, once, or not at all where its reader wants none', async () => {
    await ready(1);
    expect(await templates()).toEqual(['serverReady']);
    await choose({ mail: {} });
    await ready(2);
    expect(await templates()).toEqual(['serverReady']);
    expect(await kinds()).toEqual(['serverReady', 'serverReady']);
  });

  test('a mail that its reader can turn off says where that is, and one of security does not', async () => {
    await choose({ mail: { setup: 'now', gifts: 'now' } });
    await ready(1);
    await notify('giftReceived', { name: 'ann', cost: 5 });
    const when = { at: h.clock.now() };
    const vars = { device: 'Firefox', address: '198.51.100.7', when, path: '/account' };
    await h.db.uow.run((tx) => h.host.services.mailing.sendTo(tx, who.id, 'newDevice', vars));
    const link = 'Choose which e-mails you get:\nhttps://panel.example.com/account?tab=notifications';
    expect((await mails()).map(({ template, text }) => [template, text.endsWith(link)])).toEqual([
      ['serverReady', true],
      ['notification', true],
      ['newDevice', false],
    ]);
  });

  test('other kinds are mailed as a sentence in the reader’s language, without words of strangers', async () => {
    await choose({ mail: { gifts: 'now' } });
    await h.db.sql("UPDATE users SET locale = 'de' WHERE id = ?", [who.id]);
    const data = { name: 'ann', cost: 1250, note: 'free credits at evil.example' };
    await notify('giftReceivedNote', data, who, `gift:${who.id}`);
    // The same gift again.
    await notify('giftReceivedNote', data, who, `gift:${who.id}`);
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ template: 'notification', subject: 'ann hat dir 1.250 Credits geschenkt.' });
    expect(mail?.text).toContain('https://panel.example.com/account?tab=statement');
    expect(mail?.text).not.toContain('evil.example');
  });

  test('security is mailed and shown whatever was chosen, at any hour', async () => {
    await choose({ app: [], mail: {}, quiet: true, quiet_from: 11, quiet_until: 14 });
    await notify('recoveryCodeUsed', { left: 3 });
    await h.drainJobs();
    expect(await kinds()).toEqual(['recoveryCodeUsed']);
    const [row] = await h.db.sql<{ state: string }>('SELECT state FROM mails WHERE user_id = ?', [who.id]);
    expect(row?.state).toBe('sent');
  });

  describe('the mail of the day', () => {
    test('one mail at its reader’s hour says everything since the last, and none comes when nothing happened', async () => {
      // 12:00 UTC is 21:00 in Tokyo; the next 8 o'clock there is 11 hours away.
      await h.db.sql("UPDATE users SET time_zone = 'Asia/Tokyo' WHERE id = ?", [who.id]);
      await choose({ mail: { gifts: 'daily', setup: 'daily' } });
      await notify('giftReceived', { name: 'ann', cost: 5 });
      await ready(3);
      h.clock.advance(11 * HOUR - MINUTE);
      await digest();
      expect(await templates()).toEqual([]);
      h.clock.advance(MINUTE);
      await digest();
      await digest();
      const [mail, ...others] = await mails();
      expect(others).toEqual([]);
      expect(mail?.template).toBe('notificationDigest');
      expect(mail?.text).toContain('• ann sent you 5 credits.\n• Server 3 is ready.');
      h.clock.advance(2 * DAY);
      await digest();
      expect(await templates()).toEqual(['notificationDigest']);
      await notify('giftReceived', { name: 'bob', cost: 6 });
      h.clock.advance(DAY);
      await digest();
      expect((await mails()).map(({ text }) => [text.includes('ann'), text.includes('bob')])).toEqual([
        [true, false],
        [false, true],
      ]);
    });

    test('several processes at once write it once, and what a killed one had begun is not lost', async () => {
      await choose({ mail: { gifts: 'daily' } });
      await notify('giftReceived', { name: 'ann', cost: 5 });
      h.clock.advance(DAY);
      const { mailing } = h.host.services;
      const killed = { ...mailing, sendTo: () => Promise.reject(new Error('killed')) };
      const dies = sendDigests({ ...h.host.services, mailing: killed, texts: sentenceTexts });
      expect(await dies.then(() => '', String)).toBe('Error: killed');
      await atOnce(4, digest);
      expect(await templates()).toEqual(['notificationDigest']);
    });

    test('another hour moves what waits, and a long list says how much more there is', async () => {
      await choose({ mail: { gifts: 'daily' }, digest_hour: 8 });
      for (let n = 0; n < 53; n += 1) await notify('giftReceived', { name: `ann${n}`, cost: 5 });
      await choose({ mail: { gifts: 'daily' }, digest_hour: 14 });
      h.clock.advance(2 * HOUR);
      await digest();
      const [mail] = await mails();
      expect(mail?.text).toContain('• ann49 sent you 5 credits.\n+ 3');
      expect(mail?.text).not.toContain('ann50');
    });
  });

  test('mails wait for the end of the quiet hours, and what would be past by then leaves before', async () => {
    await choose({ mail: { gifts: 'now', expiry: 'now', setup: 'now' }, quiet: true, quiet_from: 11, quiet_until: 14 });
    await notify('giftReceived', { name: 'ann', cost: 5 });
    await ready(4);
    const soon = { userId: who.id, serverId: 's9', name: 'Nine', cost: 5, days: 1, reminderKey: 'r' };
    await h.db.uow.run((tx) =>
      h.host.services.events.emit(tx, 'server.expiring', { ...soon, expiresMs: h.clock.now() + HOUR }),
    );
    await h.drainJobs();
    const states = async () =>
      (
        await h.db.sql<{ template: string; state: string }>(
          'SELECT template, state FROM mails WHERE user_id = ? ORDER BY template',
          [who.id],
        )
      ).map(({ template, state }) => [template, state]);
    expect(await states()).toEqual([
      ['notification', 'queued'],
      ['renewReminder', 'sent'],
      ['serverReady', 'queued'],
    ]);
    // What waits on purpose is no fault of the mail server.
    expect(await h.db.uow.read((tx) => tx.mail.oldest('queued', 0, h.clock.now()))).toBeNull();
    h.clock.advance(2 * HOUR);
    await h.drainJobs();
    expect((await states()).map(([, state]) => state)).toEqual(['sent', 'sent', 'sent']);
  });

  test('notifications of half a year ago are deleted, younger ones stay', async () => {
    await notify('creditsAdded', { cost: 1 });
    h.clock.advance(2 * DAY);
    await notify('creditsAdded', { cost: 2 });
    h.clock.advance(179 * DAY);
    await purgeNotifications(h.host.services);
    const rows = await h.db.uow.read((tx) => tx.notifications.latest(who.id, 9));
    expect(rows.map(({ data }) => data)).toEqual([{ cost: 2 }]);
  });
});
