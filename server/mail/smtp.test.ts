import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { MailTransport, OutgoingMail } from '#server/modules/mailing/index.ts';
import { openSmtp, type SmtpStandIn } from '#tests/support/smtp.ts';
import { createSmtpTransport } from './smtp.ts';

/** For those who are waited for in vain. Whoever answers has all the time of the product: the machine may be busy. */
const QUICK = { connectMs: 300, greetingMs: 300, socketMs: 300 };
const MAIL: OutgoingMail = {
  to: 'mirela@mail.example',
  subject: 'Grüße – ready',
  text: 'The text',
  html: '<p>The text</p>',
  messageId: '<01890000@panel.example>',
  createdMs: Date.UTC(2026, 2, 10, 12),
};
/** Nothing has to be done before a mail leaves. */
const begin = async (): Promise<void> => undefined;
let smtp: SmtpStandIn;
let transport: MailTransport;
beforeEach(async () => {
  smtp = await openSmtp();
  transport = createSmtpTransport(smtp.config);
});
afterEach(async () => {
  transport.close();
  await smtp.close();
});

describe('the way out over SMTP', () => {
  test('the way out hands over text, HTML and the headers of a mail that a machine wrote', async () => {
    expect(await transport.send(MAIL, begin)).toEqual({ kind: 'sent' });
    const [sent] = smtp.delivered;
    expect(sent).toMatchObject({ from: 'no-reply@panel.example', to: ['mirela@mail.example'] });
    expect(sent?.mail).toMatchObject({
      subject: 'Grüße – ready',
      messageId: '<01890000@panel.example>',
      date: '2026-03-10T12:00:00.000Z',
      from: { name: 'Nether Hosting', address: 'no-reply@panel.example' },
      to: [{ name: '', address: 'mirela@mail.example' }],
    });
    expect(sent?.mail.text?.trim()).toBe('The text');
    expect(sent?.mail.html?.trim()).toBe('<p>The text</p>');
    expect(sent?.mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
  });

  test.each([
    [{ at: 'rcpt', code: 550, text: '5.1.1 no such box' }, 'never', 'no such box'],
    [{ at: 'data', code: 554, text: '5.7.1 refused' }, 'never', 'refused'],
    [{ at: 'rcpt', code: 451, text: '4.7.1 come back later' }, 'later', 'come back later'],
    [{ at: 'data', code: 452, text: '4.2.2 full' }, 'later', 'full'],
  ] as const)('the answer %p is %s', async (behaviour, kind, words) => {
    smtp.next.push(behaviour);
    const outcome = await transport.send(MAIL, begin);
    expect(outcome.kind).toBe(kind);
    expect(outcome.kind === 'sent' ? '' : outcome.error).toContain(words);
    expect(await transport.send(MAIL, begin)).toEqual({ kind: 'sent' });
  });

  test('a server that is not there, or that hangs before it has the whole mail, is tried again later', async () => {
    const nowhere = createSmtpTransport({ ...smtp.config, port: 1 }, QUICK);
    expect((await nowhere.send(MAIL, begin)).kind).toBe('later');
    nowhere.close();
    const mute = await openSmtp({ onRcptTo: () => undefined });
    const impatient = createSmtpTransport(mute.config, QUICK);
    expect(await impatient.send(MAIL, begin)).toMatchObject({ kind: 'later', code: null });
    impatient.close();
    await mute.close();
  });

  test('a server that has the whole mail and then hangs or cuts the line may have taken it: nobody knows', async () => {
    smtp.next.push('hang');
    const impatient = createSmtpTransport(smtp.config, QUICK);
    expect(await impatient.send(MAIL, begin)).toMatchObject({ kind: 'unknown', code: null });
    impatient.close();
    smtp.next.splice(0, smtp.next.length, 'cut');
    expect((await transport.send(MAIL, begin)).kind).toBe('unknown');
  });

  test('nothing of a mail leaves before its hand-over is noted, and none where that fails', async () => {
    const order: string[] = [];
    expect(
      await transport.send(MAIL, async () => void order.push(`noted, ${smtp.delivered.length} delivered`)),
    ).toEqual({
      kind: 'sent',
    });
    expect(order).toEqual(['noted, 0 delivered']);
    const refused = await transport.send({ ...MAIL, messageId: '<2@panel.example>' }, () =>
      Promise.reject(new Error('cancelled meanwhile')),
    );
    expect(refused).toMatchObject({ kind: 'later', error: 'cancelled meanwhile' });
    expect(smtp.delivered).toHaveLength(1);
    // The connection that was left in the middle is not used again.
    expect(await transport.send({ ...MAIL, messageId: '<3@panel.example>' }, begin)).toEqual({ kind: 'sent' });
    expect(smtp.delivered).toHaveLength(2);
  });

  test.each([
    [{ at: 'rcpt', code: 550, text: '5.1.1 no such box' }, true],
    [{ at: 'rcpt', code: 550, text: '5.7.1 we do not want you' }, false],
    [{ at: 'data', code: 554, text: '5.6.0 bad content' }, false],
  ] as const)('the answer %p is a bounce of the address: %p', async (behaviour, bounced) => {
    smtp.next.push(behaviour);
    expect(await transport.send(MAIL, begin)).toMatchObject({ kind: 'never', code: behaviour.code, bounced });
  });

  test('a server that says nothing at all is tried again later, within the limit of the greeting', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } });
    const waiting = createSmtpTransport({ ...smtp.config, port: silent.port }, QUICK);
    expect((await waiting.send(MAIL, begin)).kind).toBe('later');
    waiting.close();
    silent.stop(true);
  });

  test.each([
    'x@y.example\r\nRCPT TO:<evil@y.example>',
    'a@x.example, b@y.example',
    'Group: a@x.example, b@y.example;',
    '<a@x.example>',
    'a@b@c.example',
    'a b@c.example',
    '',
  ])('T54 %p is no address, and nobody is written to', async (to) => {
    expect((await transport.send({ ...MAIL, to }, begin)).kind).toBe('never');
    expect(smtp.asked).toEqual([]);
  });

  test('T54 a subject with line breaks makes no headers', async () => {
    await transport.send({ ...MAIL, subject: 'Hello\r\nBcc: evil@y.example\r\n\r\nbody' }, begin);
    expect(smtp.asked).toEqual(['mirela@mail.example']);
    expect(smtp.delivered[0]?.mail.headers.map(({ key }) => key)).not.toContain('bcc');
  });

  test('with STARTTLS asked for, a server without it gets nothing, and no password', async () => {
    const strict = createSmtpTransport({
      ...smtp.config,
      security: 'starttls',
      username: 'u',
      password: 'secret-word',
    });
    expect((await strict.send(MAIL, begin)).kind).not.toBe('sent');
    expect(smtp.asked).toEqual([]);
    strict.close();
  });

  test.each(['tls', 'starttls'] as const)(
    'over %s, a certificate nobody vouches for is not trusted',
    async (security) => {
      expectConsole(/built-in default TLS certificate/);
      const own = await openSmtp({ secure: security === 'tls', disabledCommands: [] });
      const strict = createSmtpTransport({ ...own.config, security, username: 'u', password: 'secret-word' });
      expect((await strict.send(MAIL, begin)).kind).toBe('later');
      expect(own.delivered).toEqual([]);
      strict.close();
      await own.close();
    },
  );

  test('a password is not sent in clear to another machine', () => {
    expect(() => createSmtpTransport({ ...smtp.config, host: 'mail.example', username: 'u', password: 'p' })).toThrow(
      'without encryption',
    );
    createSmtpTransport({ ...smtp.config, username: 'u', password: 'p' }).close();
  });
});
