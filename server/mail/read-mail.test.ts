import { describe, expect, spyOn, test } from 'bun:test';
import EmailReplyParser from 'email-reply-parser';
import { createMailReader } from './mail-reader.ts';
import { readMail } from './read-mail.ts';

const bytes = (lines: string | readonly string[]) =>
  new TextEncoder().encode(typeof lines === 'string' ? lines : lines.join('\r\n'));
const HEADERS = ['From: Ann <ann@mail.example>', 'To: support@host.example', 'Message-ID: <m1@mail.example>'];
const written = async (body: string, ...more: string[]) =>
  (await readMail(bytes([...HEADERS, 'Content-Type: text/plain; charset=utf-8', ...more, '', body]))).text;

describe('what somebody wrote in a mail', () => {
  test.each([
    ['Thanks!\n\nOn Mon, Nov 23, 2026 at 3:00 PM Host <support@host.example> wrote:\n> Hi\n> there', 'Thanks!'],
    ['Danke!\n\nAm Mo., 23. Nov. 2026 um 15:00 Uhr schrieb Host <s@host.example>:\n> Hallo', 'Danke!'],
    ['Merci\n\nLe lun. 23 nov. 2026 à 15:00, Host <s@host.example> a écrit :\n> Salut', 'Merci'],
    ['Gracias\n\nEl lun, 23 nov 2026 a las 15:00, Host (<s@host.example>) escribió:\n> Hola', 'Gracias'],
    ['Mulțumesc\n\nÎn lun., 23 nov. 2026 la 15:00, Host <s@host.example> a scris:\n> Salut', 'Mulțumesc'],
    ['Top\n\nFrom: Host <s@host.example>\nSent: Monday\nTo: Ann\nSubject: x\n\nHi', 'Top'],
    [
      'My answer\n\nSomething unknown:\n> ##- Schreib deine Antwort über diese Zeile -##\n> Hallo',
      'My answer\n\nSomething unknown:',
    ],
    ['Two\nlines\n\nand a paragraph\n\n-- \nAnn\nBuilder', 'Two\nlines\n\nand a paragraph'],
    ['\u0000nul\u0007 and \uD800', 'nul and \uFFFD'],
    ['> only a quote', ''],
  ])('the text %j leaves %j', async (body, expected) => {
    expect(await written(body)).toBe(expected);
  });

  test('it is the text of HTML where there is no other, without quotes, scripts and styles', async () => {
    const html =
      '<head><style>p{color:red}</style></head><p>Gr&uuml;&szlig;e &amp; <b>thanks</b></p><script>steal()</script><p>Ann</p>' +
      '<div class="gmail_quote">On Monday Host wrote:<blockquote>Hi</blockquote></div>';
    const { text } = await readMail(bytes([...HEADERS, 'Content-Type: text/html; charset=utf-8', '', html]));
    expect(text).toBe('Grüße & thanks\n\nAnn');
  });

  test('T52 it has the length of a message at most, and quotes are looked for in the beginning of a long text', async () => {
    using parse = spyOn(EmailReplyParser.prototype, 'parseReply');
    expect((await written('On x '.repeat(40_000))).length).toBeLessThanOrEqual(10_000);
    expect(parse.mock.calls.map(([text]) => text.length)).toEqual([20_000]);
    expect((await written('word '.repeat(3000))).length).toBe(10_000);
  });
});

describe('what a mail says of itself', () => {
  const automatic = async (...more: string[]) =>
    (await readMail(bytes([...HEADERS, ...more, 'Content-Type: text/plain', '', 'Away']))).isAutomatic;

  test.each([
    ['Auto-Submitted: auto-replied'],
    ['Auto-Submitted: auto-generated; type=x'],
    ['Precedence: bulk'],
    ['List-Id: <news.host.example>'],
    ['X-Autoreply: yes'],
    ['Return-Path: <>'],
    ['X-Failed-Recipients: ann@mail.example'],
  ])('%s makes it a program’s', async (header) => {
    expect(await automatic(header)).toBe(true);
  });

  test('a person’s mail is a person’s, whatever else its headers are', async () => {
    expect(
      await automatic('Auto-Submitted: no', 'X-Auto-Response-Suppress: All', 'Return-Path: <ann@mail.example>'),
    ).toBe(false);
  });

  test('a report of a mail server is a program’s, and so is whatever a mail server writes', async () => {
    const report = 'Content-Type: multipart/report; report-type=delivery-status; boundary=b';
    expect((await readMail(bytes([...HEADERS, report, '', '--b--']))).isAutomatic).toBe(true);
    const daemon = ['From: MAILER-DAEMON@mail.example', 'Content-Type: text/plain', '', 'Undelivered'];
    expect((await readMail(bytes(daemon))).isAutomatic).toBe(true);
  });

  test('its sender is one address or nobody: two readings of it are none (attacks T58)', async () => {
    const from = async (...lines: string[]) => (await readMail(bytes([...lines, '', 'x']))).from;
    expect(await from('From: "eve@mail.example" <ann@mail.example>')).toBe('ann@mail.example');
    expect(await from('From: ann@mail.example', 'From: eve@mail.example')).toBeNull();
    expect(await from('From: ann@mail.example, eve@mail.example')).toBeNull();
    expect(await from('From: Staff: ann@mail.example, eve@mail.example;')).toBeNull();
    expect(await from('To: ann@mail.example')).toBeNull();
  });

  test('its addresses are those of its writer and those that mail servers delivered it to', async () => {
    const { to, messageId, authResults } = await readMail(
      bytes([
        'Delivered-To: <support+t1.a@host.example>',
        'Authentication-Results: mx.host.example; spf=pass smtp.mailfrom=mail.example',
        'Authentication-Results: other.example; dkim=none',
        ...HEADERS,
        'Cc: "a, b" <c@d.example>, e@f.example',
        '',
        'x',
      ]),
    );
    expect(to).toEqual(['support@host.example', 'c@d.example', 'e@f.example', 'support+t1.a@host.example']);
    expect([messageId, authResults.length, authResults[0]?.startsWith('mx.host')]).toEqual([
      'm1@mail.example',
      2,
      true,
    ]);
  });

  test('an id that could end a header is none', async () => {
    const id = async (value: string) => (await readMail(bytes([`Message-ID: ${value}`, '', 'x']))).messageId;
    expect(await id('<a b@c>')).toBeNull();
    expect(await id('<a@c>\r\n <x@y>')).toBeNull();
    expect(await id(`<${'a'.repeat(300)}@c>`)).toBeNull();
  });
});

describe('the thread that reads mails', () => {
  const spawn = () => new Worker(new URL('read.worker.ts', import.meta.url));

  test('it reads a mail as it is read here', async () => {
    const raw = bytes([...HEADERS, '', 'Hello']);
    expect(await createMailReader(spawn).read(raw)).toEqual(await readMail(raw));
  });

  test('a mail that takes too long or breaks the parser is unreadable, and the next one is read', async () => {
    const endless = () => new Worker('data:text/javascript,for(;;);');
    expect(await createMailReader(endless, 50).read(bytes('x'))).toBeNull();
    const broken = () => new Worker('data:text/javascript,throw new Error("broken")');
    expect(await createMailReader(broken).read(bytes('x'))).toBeNull();
    const deep = Array.from(
      { length: 50 },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}`,
    );
    const reader = createMailReader(spawn);
    expect(await reader.read(bytes(deep.join('\r\n')))).toBeNull();
    expect((await reader.read(bytes([...HEADERS, '', 'Hello'])))?.text).toBe('Hello');
  });
});
