import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { MailTemplate, MailVars } from '#server/modules/mailing/index.ts';
import { DAY } from '#shared/time.ts';
import { atOnce, codeOf, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp, type SmtpStandIn } from '#tests/support/smtp.ts';

// Shows behaviour 8.5, the outbox.

setDefaultTimeout(300_000);

describe.each(ENGINES)('the outbox for staff on %s', (engine) => {
  let smtp: SmtpStandIn;
  let h: Harness;
  let owner: Person;
  let helper: Person;
  beforeEach(async () => {
    smtp = await openSmtp();
    h = await openHarness({ engine, config: { mail: smtp.config } });
    owner = await h.person('owner', { permissions: ['admin.root'] });
    helper = await h.person('helper', { permissions: ['admin.mails.list'] });
    await h.db.sql('DELETE FROM mails');
  });
  afterEach(async () => {
    await h.close();
    await smtp.close();
  });

  const write = <T extends MailTemplate>(template: T, vars: MailVars[T], address = 'mirela@mail.example') =>
    h.db.uow.run((tx) => h.host.services.mailing.send(tx, { userId: null, address, locale: 'en', template, vars }));
  const deleted = (server: string, address?: string) =>
    write('serverDeleted', { name: 'Mirela', server, path: '/server/create' }, address);
  const list = async (by: Person, query: object = {}) => (await by.api.adminMails.list({ query })).rows;
  const only = async () => nth(await list(owner), 0);

  test('staff see the fate of each mail with the words of the mail server, newest first, and narrow the list', async () => {
    smtp.next.push({ at: 'rcpt', code: 550, text: '5.1.1 no such box' });
    await deleted('Survival', 'gone@mail.example');
    await h.drainJobs();
    h.clock.advance(1000);
    await deleted('Creative');
    await h.drainJobs();
    h.clock.advance(1000);
    await write('serverReady', { name: 'M', server: 'Sky', address: 'a:1', path: '/' });
    const all = await list(helper);
    expect(all.map(({ subject, state }) => [subject, state])).toEqual([
      ['Sky is ready', 'queued'],
      ['Creative was deleted', 'sent'],
      ['Survival was deleted', 'failed'],
    ]);
    expect(all[2]).toMatchObject({ reply_code: 550, bounced: true, attempts: 1, can_resend: false });
    expect(all[2]?.error).toContain('5.1.1 no such box');
    expect((await list(helper, { state: 'failed' })).map(({ address }) => address)).toEqual(['gone@mail.example']);
    expect(await list(helper, { template: 'serverReady' })).toHaveLength(1);
    expect(await list(helper, { q: 'gone@' })).toHaveLength(1);
    expect(await list(helper, { q: 'one@' })).toEqual([]);
    const { counts } = await helper.api.adminMails.list({});
    expect(counts).toEqual({ waiting: 1, sent: 1, failed: 1, unknown: 0, kept: 0 });
  });

  test('the list goes on from page to page without a gap, and finds the mails of a user by name', async () => {
    await h.db.uow.run(async (tx) => {
      for (let n = 0; n < 60; n += 1)
        await h.host.services.mailing.sendTo(tx, owner.id, 'serverDeleted', { server: `S${n}`, path: '/' });
    });
    const first = await helper.api.adminMails.list({ query: { q: 'OWNER' } });
    const second = await helper.api.adminMails.list({ query: { q: 'OWNER', before: first.older ?? '' } });
    expect([first.rows.length, second.rows.length, second.older]).toEqual([50, 10, null]);
    expect(new Set([...first.rows, ...second.rows].map(({ id }) => id)).size).toBe(60);
    expect(first.rows[0]?.username).toBe('owner');
  });

  test('T35 what opens an account is in no answer: neither a link’s token nor a code that proves a mailbox', async () => {
    const token = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG';
    await write('passwordReset', { name: 'M', path: `/auth/reset-password?token=${token}` });
    await write('panelAccount', { name: 'M', code: '482913', panel: 'Main', path: '/' });
    for (const { id } of await list(owner)) {
      const shown = JSON.stringify(await owner.api.adminMails.get({ params: { id } }));
      expect(shown).not.toContain(token);
      expect(shown).not.toContain('482913');
    }
    expect((await list(owner, { template: 'panelAccount' }))[0]?.subject).toBeNull();
  });

  test('a mail that waits is cancelled once, and never leaves', async () => {
    await deleted('Survival');
    const { id } = await only();
    expect(await codeOf(helper.api.adminMails.cancel({ params: { id } }))).toBe('FORBIDDEN');
    expect(await atOnce(6, () => owner.api.adminMails.cancel({ params: { id } }))).toEqual({
      ok: 1,
      MAIL_NOT_WAITING: 5,
    });
    await h.drainJobs();
    expect(smtp.asked).toEqual([]);
    expect(await only()).toMatchObject({ state: 'cancelled', can_cancel: false, can_resend: true });
    const audit = await h.db.uow.read((tx) => tx.audit.latest(1));
    expect(audit).toMatchObject([{ action: 'mails.cancel', target: id, actorId: owner.id }]);
  });

  test('a mail that failed is sent again once, however often it is asked for at once, with the same Message-ID', async () => {
    smtp.next.push({ at: 'data', code: 554, text: '5.7.1 spam' });
    await deleted('Survival');
    await h.drainJobs();
    const { id } = await only();
    const before = await owner.api.adminMails.get({ params: { id } });
    expect(before.mail).toMatchObject({ state: 'failed', bounced: false, can_resend: true });
    expect(await atOnce(6, () => owner.api.adminMails.resend({ params: { id } }))).toEqual({
      ok: 1,
      MAIL_NOT_RESENDABLE: 5,
    });
    await h.drainJobs();
    expect(smtp.delivered.map(({ mail }) => mail.messageId)).toEqual([before.message_id]);
    expect(await only()).toMatchObject({ state: 'sent', attempts: 1, error: null, can_resend: false });
  });

  test('after an outage of the mail server several mails are sent again at once, and what cannot be is skipped', async () => {
    smtp.next.push({ at: 'data', code: 554, text: 'no' }, { at: 'data', code: 554, text: 'no' });
    await deleted('First');
    await deleted('Second');
    await deleted('Third');
    await h.drainJobs();
    const ids = (await list(owner)).map(({ id }) => id);
    const body = { ids: [...ids, nth(ids, 0)] };
    expect(await codeOf(helper.api.adminMails.resendMany({ body }))).toBe('FORBIDDEN');
    expect(await owner.api.adminMails.resendMany({ body })).toMatchObject({ done: 2, refused: 1 });
    await h.drainJobs();
    expect(smtp.delivered).toHaveLength(3);
    expect(await owner.api.adminMails.resendMany({ body })).toMatchObject({ done: 0, refused: 3 });
  });

  test('T35 a mail whose link was emptied is not sent again', async () => {
    await write('verify', { name: 'M', path: '/auth/verify?token=abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG' });
    const { id } = await only();
    await owner.api.adminMails.cancel({ params: { id } });
    expect((await only()).can_resend).toBe(false);
    expect(await codeOf(owner.api.adminMails.resend({ params: { id } }))).toBe('MAIL_NOT_RESENDABLE');
  });

  test('a mail that may have arrived is only sent again by somebody who asks for it', async () => {
    smtp.next.push('cut');
    await deleted('Survival');
    await h.drainJobs();
    h.clock.advance(DAY);
    await h.drainJobs();
    expect(smtp.delivered).toHaveLength(1);
    const { id, state } = await only();
    expect(state).toBe('unknown');
    await owner.api.adminMails.resend({ params: { id } });
    await h.drainJobs();
    expect(smtp.delivered).toHaveLength(2);
    expect(new Set(smtp.delivered.map(({ mail }) => mail.messageId)).size).toBe(1);
  });
});

test('without a mail server the outbox is the mailbox of its owner, and of nobody else', async () => {
  const h = await openHarness();
  const owner = await h.person('owner', { permissions: ['admin.root'] });
  const helper = await h.person('helper', { permissions: ['admin.mails.list', 'admin.mails.edit'] });
  const token = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG';
  await h.db.sql('DELETE FROM mails');
  await h.db.uow.run((tx) =>
    h.host.services.mailing.sendTo(tx, owner.id, 'verify', { path: `/auth/verify?token=${token}` }),
  );
  const { rows, sends_mail: sendsMail } = await helper.api.adminMails.list({});
  expect([sendsMail, rows[0]?.state, rows[0]?.can_resend]).toEqual([false, 'kept', false]);
  const params = { id: rows[0]?.id ?? '' };
  const whole = (await owner.api.adminMails.get({ params })).preview;
  expect([whole?.text.includes(token), whole?.html.includes(token)]).toEqual([true, true]);
  expect(JSON.stringify(await helper.api.adminMails.get({ params }))).not.toContain(token);
  await h.close();
});
