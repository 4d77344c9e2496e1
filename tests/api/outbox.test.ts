import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mailListCommand } from '#server/cli/mail.ts';
import { createSmtpTransport } from '#server/mail/smtp.ts';
import { createMailJob } from '#server/modules/mailing/index.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { nth } from '#tests/support/coins.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { openSmtp, type SmtpStandIn } from '#tests/support/smtp.ts';

let smtp: SmtpStandIn;
let h: Harness;
beforeEach(async () => {
  smtp = await openSmtp();
  h = await openHarness({ config: { mail: smtp.config } });
});
afterEach(async () => {
  await h.close();
  await smtp.close();
});

/** For those who are waited for in vain. */
const QUICK = { connectMs: 300, greetingMs: 300, socketMs: 300 };
/** The job of a mail at one of its attempts, as the runner hands it over. */
const attemptOf = (attempts: number) => ({ id: 'a-job', leaseToken: 'its-lease', attempts, maxAttempts: 9 });
/** What the jobs of all mails carry, in the order of the mails. */
const payloads = async () =>
  (await h.db.sql<{ id: string }>('SELECT id FROM mails ORDER BY id')).map(({ id }) => ({ mailId: id }));
const mails = () =>
  h.db.sql<{ state: string; attempts: number; last_error: string | null; message_id: string }>(
    'SELECT * FROM mails ORDER BY id',
  );

describe('the outbox', () => {
  const write = (locale: 'en' | 'de' | 'ro' = 'en', server = 'Survival') =>
    h.db.uow.run((tx) =>
      h.host.services.mailing.send(tx, {
        userId: null,
        address: 'mirela@mail.example',
        locale,
        template: 'renewReminder',
        vars: {
          name: 'Mirela',
          server,
          days: 3,
          credits: 12_500,
          when: { at: Date.UTC(2026, 2, 13, 18) },
          path: '/server/x/renew',
        },
      }),
    );

  test('a server that asks to come back later is asked again, with the same mail, after growing pauses', async () => {
    smtp.next.push({ at: 'rcpt', code: 451, text: '4.7.1 grey list' }, { at: 'data', code: 451, text: '4.3.0 busy' });
    await write();
    await h.drainJobs();
    expect(await mails()).toMatchObject([{ state: 'queued', attempts: 1 }]);
    expect(nth(await mails(), 0).last_error).toContain('grey list');
    h.clock.advance(MINUTE - 1);
    await h.drainJobs();
    expect(smtp.asked).toHaveLength(1);
    h.clock.advance(1);
    await h.drainJobs();
    h.clock.advance(5 * MINUTE);
    await h.drainJobs();
    expect(await mails()).toMatchObject([{ state: 'sent', attempts: 3, last_error: null }]);
    expect(smtp.delivered).toHaveLength(1);
    expect(smtp.delivered[0]?.mail.messageId).toBe(nth(await mails(), 0).message_id);
    expect(nth(await mails(), 0).message_id).toMatch(/^<[0-9a-f-]{36}@panel\.example>$/);
  });

  test('a refusal for good is not repeated', async () => {
    smtp.next.push({ at: 'rcpt', code: 550, text: '5.1.1 no such box' });
    await write();
    await h.drainJobs();
    h.clock.advance(DAY);
    await h.drainJobs();
    expect(await mails()).toMatchObject([{ state: 'failed', attempts: 1 }]);
    expect(nth(await mails(), 0).last_error).toContain('no such box');
    expect(smtp.asked).toHaveLength(1);
  });

  test('a mail is given up within 24 hours', async () => {
    const begun = h.clock.now();
    await write();
    let last = begun;
    for (let tries = 0; nth(await mails(), 0).state === 'queued' || tries === 0; tries += 1) {
      expect(tries).toBeLessThan(60);
      smtp.next.splice(0, 9, { at: 'rcpt', code: 421, text: '4.3.2 closing' });
      const before = nth(await mails(), 0).attempts;
      await h.drainJobs();
      if (nth(await mails(), 0).attempts > before) last = h.clock.now();
      h.clock.advance(30 * MINUTE);
    }
    expect(nth(await mails(), 0)).toMatchObject({ state: 'failed', attempts: 9 });
    expect(last - begun).toBeLessThanOrEqual(25 * HOUR);
    expect(last - begun).toBeGreaterThan(12 * HOUR);
    expect(await h.db.sql("SELECT id FROM jobs WHERE state = 'ready' AND kind = 'mail.send'")).toEqual([]);
  });

  test.each(['cut', 'hang', 'late'] as const)(
    'T54 a mail server that has the whole mail and then does not answer in time (%s) gets no second copy',
    async (behaviour) => {
      const job = createMailJob({ ...h.host.services, transport: createSmtpTransport(smtp.config, QUICK) });
      smtp.next.push(behaviour);
      await write();
      await job.handle(nth(await payloads(), 0), attemptOf(1));
      expect(await mails()).toMatchObject([{ state: 'unknown', attempts: 1, sent_ms: null }]);
      h.clock.advance(DAY);
      await h.drainJobs();
      expect(smtp.asked).toHaveLength(1);
      expect(await mails()).toMatchObject([{ state: 'unknown', attempts: 1 }]);
      // Whoever took it, or took it too late to say so, has delivered it.
      expect(smtp.delivered).toHaveLength(behaviour === 'hang' ? 0 : 1);
    },
  );

  test('a mail that is refused amid many, and one whose server has no time for it, hold up none of the others', async () => {
    await write('en', 'First');
    await write('en', 'Refused');
    await write('en', 'Third');
    await write('en', 'Delayed');
    await write('en', 'Last');
    const refusals = { Refused: [550, '5.1.1 no such box'], Delayed: [451, '4.7.1 grey list'] } as const;
    const transport = createSmtpTransport(smtp.config);
    const job = createMailJob({
      ...h.host.services,
      transport: {
        ...transport,
        send: (mail, begin) => {
          const found = Object.entries(refusals).find(([name]) => mail.subject.includes(name));
          if (found) smtp.next.push({ at: 'rcpt', code: found[1][0], text: found[1][1] });
          return transport.send(mail, begin);
        },
      },
    });
    for (const payload of await payloads()) await job.handle(payload, attemptOf(1)).catch(() => undefined);
    expect((await mails()).map(({ state }) => state)).toEqual(['sent', 'failed', 'sent', 'queued', 'sent']);
    h.clock.advance(DAY);
    await h.drainJobs();
    expect((await mails()).map(({ state }) => state)).toEqual(['sent', 'failed', 'sent', 'sent', 'sent']);
    const subjects = smtp.delivered.map(({ mail }) => mail.subject?.split(' ')[0]);
    expect(subjects.toSorted()).toEqual(['Delayed', 'First', 'Last', 'Third']);
    transport.close();
  });

  test('T54 a process that dies while it hands a mail over sends no second copy after it is back', async () => {
    await write();
    const { mailId: id } = nth(await payloads(), 0);
    expect(await h.db.uow.run((tx) => tx.mail.beginHandOver(id))).toBe(true);
    expect(await h.db.uow.run((tx) => tx.mail.beginHandOver(id))).toBe(false);
    await h.drainJobs();
    expect(smtp.asked).toEqual([]);
    expect(await mails()).toMatchObject([
      { state: 'unknown', last_error: 'interrupted while it was handed over', attempts: 1 },
    ]);
  });

  test('a mail that is cancelled while the server is still asked for it does not leave', async () => {
    const transport = createSmtpTransport(smtp.config);
    const job = createMailJob({
      ...h.host.services,
      transport: {
        ...transport,
        send: async (mail, begin) => {
          await h.db.uow.run((tx) => tx.mail.move(nth(ids, 0), ['queued'], 'cancelled'));
          return transport.send(mail, begin);
        },
      },
    });
    await write();
    const ids = (await payloads()).map(({ mailId }) => mailId);
    await job.handle(nth(await payloads(), 0), attemptOf(1));
    expect(smtp.delivered).toEqual([]);
    expect(await mails()).toMatchObject([{ state: 'cancelled', attempts: 0 }]);
    transport.close();
  });

  test('as many mails leave in a minute as the host allows, and the others follow', async () => {
    await h.set({ mail_per_minute: 2 });
    for (const server of ['A', 'B', 'C', 'D', 'E']) await write('en', server);
    await h.drainJobs();
    expect(smtp.delivered).toHaveLength(2);
    h.clock.advance(MINUTE);
    await h.drainJobs();
    expect(smtp.delivered).toHaveLength(4);
    h.clock.advance(MINUTE);
    await h.drainJobs();
    expect(smtp.delivered).toHaveLength(5);
    expect(nth(await mails(), 4)).toMatchObject({ state: 'sent', attempts: 1 });
  });

  test('several workers at once send one copy', async () => {
    await write();
    await write();
    await Promise.all([1, 2, 3, 4, 5].map(() => h.host.runner.runDue()));
    expect(smtp.delivered).toHaveLength(2);
  });

  test('a job that comes again after the mail has left does nothing, and one that is given up leaves no mail waiting', async () => {
    const job = createMailJob({ ...h.host.services, transport: createSmtpTransport(smtp.config) });
    await write();
    const sent = nth(await payloads(), 0);
    await job.handle(sent, attemptOf(1));
    await job.handle(sent, attemptOf(2));
    expect(smtp.delivered).toHaveLength(1);
    await write();
    const waiting = nth(await payloads(), 1);
    await job.dead(waiting);
    await job.dead(sent);
    await job.handle({ mailId: 'gone' }, attemptOf(1));
    await job.handle(null, attemptOf(1));
    expect((await mails()).map(({ state }) => state)).toEqual(['sent', 'failed']);
    expect(smtp.delivered).toHaveLength(1);
  });

  test('what is rolled back is never sent, and what is sent once is written once', async () => {
    const { mailing } = h.host.services;
    const letter = {
      userId: null,
      address: 'a@mail.example',
      locale: 'en',
      template: 'serverDeleted',
      vars: { name: 'A', server: 'S', path: '/' },
      uniqueKey: 'once',
    } as const;
    await h.db.uow
      .run(async (tx) => {
        await mailing.send(tx, letter);
        throw new Error('undone');
      })
      .catch(() => undefined);
    expect(await mails()).toEqual([]);
    expect(await h.db.uow.run((tx) => mailing.send(tx, letter))).toBe(true);
    expect(await h.db.uow.run((tx) => mailing.send(tx, letter))).toBe(false);
    await h.drainJobs();
    expect(smtp.delivered).toHaveLength(1);
  });

  test('a mail is in the receiver’s language, down to numbers and dates, and in their time zone', async () => {
    await h.set({ app_timezone: 'Europe/Bucharest' });
    await write('de');
    await h.drainJobs();
    const { mail } = nth(smtp.delivered, 0);
    expect(mail.html).toContain('<html lang="de">');
    expect(mail.text).toContain('13. März 2026 um 20:00');
    expect(mail.text).toContain('12.500');
    const person = await h.person('radu.m');
    await person.api.account.update({ body: { first_name: 'Radu', last_name: 'M', locale: 'ro' } });
    await h.db.uow.run((tx) =>
      h.host.services.mailing.sendTo(tx, person.id, 'serverDeleted', { server: 'Survival', path: '/' }),
    );
    await h.drainJobs();
    expect(smtp.delivered.at(-1)?.mail.html).toContain('<html lang="ro">');
    expect(smtp.delivered.at(-1)?.mail.text).toContain('Radu');
    await person.api.account.update({
      body: { first_name: 'Radu', last_name: 'M', locale: 'en', time_zone: 'Asia/Tokyo' },
    });
    const vars = { when: { at: Date.parse('2026-03-13T18:00:00Z') }, path: '/' };
    await h.db.uow.run((tx) => h.host.services.mailing.sendTo(tx, person.id, 'emailChanged', vars));
    await h.drainJobs();
    expect(smtp.delivered.at(-1)?.mail.text).toContain('14 March 2026 at 03:00');
  });

  test('T29 a name chosen by a user is text in the HTML and one line in the subject', async () => {
    await write('en', '<img src=x onerror=alert(1)>\r\nBcc: evil@y.example {{credits}}');
    await h.drainJobs();
    const { mail } = nth(smtp.delivered, 0);
    expect(mail.html).not.toContain('<img');
    expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(mail.subject).toContain('<img src=x onerror=alert(1)> Bcc: evil@y.example {{credits}} expires in 3 days');
    expect(mail.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(smtp.asked).toEqual(['mirela@mail.example']);
  });
});

describe('without a mail server', () => {
  test('mails are kept, and read with `mail list`', async () => {
    const quiet = await openHarness();
    const lines: string[] = [];
    const output = { out: (line: string) => void lines.push(line), err: (line: string) => void lines.push(line) };
    const run = (...argv: string[]) => mailListCommand({ uow: quiet.db.uow }, argv, output);
    expect(await run('list')).toBe(0);
    expect(lines).toEqual(['The outbox is empty.']);
    for (const server of ['First', 'Second\u001b[2Jx']) {
      quiet.clock.advance(1000);
      await quiet.db.uow.run((tx) =>
        quiet.host.services.mailing.send(tx, {
          userId: null,
          address: 'a@mail.example',
          locale: 'en',
          template: 'serverDeleted',
          vars: { name: 'A', server, path: '/server/create' },
        }),
      );
    }
    await quiet.drainJobs();
    lines.length = 0;
    expect(await run('list', '--limit', '1')).toBe(0);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(
      'kept  serverDeleted (en)\nTo: a@mail.example\nSubject: Second [2Jx was deleted\n\n  Hi A,',
    );
    expect(lines[0]).toContain('https://panel.example.com/server/create');
    expect(lines[0]).not.toContain('\u001b');
    expect([await run('list', '--limit', '0'), await run('read'), await run()]).toEqual([2, 2, 2]);
    await quiet.close();
  });
});
