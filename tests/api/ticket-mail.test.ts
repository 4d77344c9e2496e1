import { createHmac } from 'node:crypto';
import { encode } from 'fast-png';
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { atOnce, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp, type SmtpStandIn } from '#tests/support/smtp.ts';

// Shows behaviour 7.3 (answers by mail), and attacks T52, T57 and T58.

setDefaultTimeout(300_000);

const SECRET = 'a-secret-of-the-mail-service';

describe.each(ENGINES)('answers to tickets by mail on %s', (engine) => {
  let h: Harness;
  let smtp: SmtpStandIn;
  let oana: Person;
  let department: string;
  let firstOwner: Person;
  /** The first ticket of the installation. */
  let firstTicket: string;
  let made = 0;
  beforeAll(async () => {
    smtp = await openSmtp();
    h = await openHarness({ engine, config: { mail: smtp.config } });
    oana = await h.person('oana', { permissions: ['admin.root'] });
    const body = { name: 'Technical', description: '', hours: '', position: 0, enabled: true };
    department = (await oana.api.adminDepartments.create({ body })).id;
    firstOwner = await player();
    firstTicket = await open(firstOwner);
  });
  afterAll(async () => {
    await h.close();
    await smtp.close();
  });
  beforeEach(async () => {
    await h.set({
      ticket_mail_enabled: true,
      ticket_mail_address: 'support@host.example',
      ticket_mail_secret: SECRET,
      ticket_mail_authserv: '',
      ticket_mail_new: false,
    });
    await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ?', [h.clock.now(), h.clock.now() + 90 * DAY]);
  });

  const player = () => h.person(`player${(made += 1)}`);
  const open = async (who: Person) =>
    (
      await who.api.tickets.create({
        body: { department, priority: 'normal', subject: 'Cannot join', text: 'Since 16:50.' },
      })
    ).id;
  const answer = (id: string, status: 'answered' | 'closed' = 'answered') =>
    oana.api.adminTickets.reply({
      params: { id },
      body: { text: 'Look at **it**', internal: false, status, seen: 99 },
    });
  const close = (id: string) => oana.api.adminTickets.update({ params: { id }, body: { status: 'closed' } });
  const addressOf = async (ticketId: string) =>
    (await h.host.services.mailThreads.headersOf({ ticketId }))['Reply-To'] ?? '';
  const texts = async (who: Person, id: string) =>
    (await who.api.tickets.get({ params: { id } })).lines.flatMap(({ kind, html }) => (kind === 'user' ? [html] : []));
  /** A mail, as a mail service hands it over. */
  const mail = (
    from: string,
    to: string,
    { text = 'It works', headers = [] as string[], id = `<m${(made += 1)}@m.example>` } = {},
  ) =>
    [
      ...headers,
      `From: ${from}`,
      `To: ${to}`,
      'Subject: Re: x',
      ...(id === '' ? [] : [`Message-ID: ${id}`]),
      '',
      text,
    ].join('\r\n');
  const sign = (raw: string, { secret = SECRET, atMs = h.clock.now() } = {}) => {
    const t = Math.floor(atMs / 1000);
    return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${raw}`).digest('hex')}`;
  };
  const post = (raw: string, signature: string | null = sign(raw)) =>
    h.http('/api/webhooks/tickets', {
      method: 'POST',
      headers: { 'Content-Type': 'message/rfc822', ...(signature === null ? {} : { 'X-Mail-Signature': signature }) },
      body: raw,
    });
  const handOver = async (raw: string) => expect((await post(raw)).status).toBe(200);
  /** The last mail that somebody got. */
  const latest = (who: Person) =>
    nth(smtp.delivered.filter(({ to }) => to.includes(`${who.username}@example.com`)).toReversed(), 0).mail;
  const mailsOf = async (who: Person) =>
    (await h.db.uow.read((tx) => tx.mail.listOf(who.id, null, 50))).map(({ template }) => template);

  test('an answer goes out with the address of its ticket, and what comes back to it is a message once', async () => {
    const [ann, id] = [firstOwner, firstTicket];
    await answer(id);
    await h.drainJobs();
    const first = latest(ann);
    expect([first.subject, first.text?.startsWith('##- Write your answer above this line -##\n')]).toEqual([
      '[#1001] Cannot join',
      true,
    ]);
    expect(first.text).toContain('Look at it\n');
    const [reply] = first.replyTo ?? [];
    const to = reply?.address ?? '';
    expect(to).toMatch(/^support\+t1001\.[0-9a-f]{20}@host\.example$/);
    // No mail is called like what all of them refer to.
    expect([first.inReplyTo, first.references]).toEqual([
      `<ticket.${id}@panel.example>`,
      `<ticket.${id}@panel.example>`,
    ]);
    const quoted = (first.text ?? '').split('\n').map((line) => `> ${line}`);
    const raw = mail(`Ann <${ann.username}@EXAMPLE.com>`, to, {
      text: ['It **works** now.', 'Thanks', '', 'On Monday Host wrote:', ...quoted].join('\n'),
      id: '<one@m.example>',
    });
    await atOnce(4, () => handOver(raw));
    await handOver(raw);
    expect(await texts(ann, id)).toEqual(['<p>Since 16:50.</p>', '<p>It <strong>works</strong> now.\nThanks</p>']);
    const { ticket } = await ann.api.tickets.get({ params: { id } });
    expect([ticket.status, ticket.unread]).toEqual(['open', false]);
    expect((await oana.api.notifications.list()).notifications.map(({ kind }) => kind)).toContain('ticketReplied');
    await answer(id);
    await h.drainJobs();
    const second = latest(ann);
    expect([second.inReplyTo, second.references]).toEqual([
      '<one@m.example>',
      `<ticket.${id}@panel.example> <one@m.example>`,
    ]);
    // What stands in a ticket is for those who may read tickets (attacks T59).
    const reader = await h.person('reader', { permissions: ['admin.mails.list'] });
    const seen = async (by: Person) => {
      const row = nth((await by.api.adminMails.list({ query: { template: 'ticketAnswered' } })).rows, 0);
      const { mail: one, preview } = await by.api.adminMails.get({ params: { id: row.id } });
      return [row.subject, one.subject, preview?.subject ?? null];
    };
    expect(await seen(reader)).toEqual([null, null, null]);
    expect(await seen(oana)).toEqual(Array.from({ length: 3 }, () => '[#1001] Cannot join'));
    // Whoever reads the outbox sees no address by which they could write for the player.
    expect(JSON.stringify(await h.db.sql('SELECT * FROM mails'))).not.toContain(to);
  });

  test('without the setting a mail carries no address, and nothing comes in', async () => {
    const ann = await player();
    const id = await open(ann);
    const to = await addressOf(id);
    await h.set({ ticket_mail_enabled: false });
    expect(await addressOf(id)).toBe('');
    await answer(id);
    await h.drainJobs();
    const { text, replyTo } = latest(ann);
    expect([text?.includes('##-'), replyTo]).toEqual([false, undefined]);
    expect((await post(mail(`${ann.username}@example.com`, to))).status).toBe(404);
    expect(await texts(ann, id)).toHaveLength(1);
  });

  test('a mail without the right code, from another address or by a program is left out (attacks T58)', async () => {
    const [ann, bob] = [await player(), await player()];
    const [id, other] = [await open(ann), await open(bob)];
    const [to, toOther] = [await addressOf(id), await addressOf(other)];
    const from = `${ann.username}@example.com`;
    const forged = 'Authentication-Results: mx.host.example; dmarc=fail header.from=example.com';
    await answer(id);
    const sent = await h.db.uow.read((tx) => tx.mail.listLatest(1));
    expect(nth(sent, 0).subject).toContain('Cannot join');
    const refused = [
      mail(from, to.replace(/\.[0-9a-f]{20}/, `.${'0'.repeat(20)}`)),
      mail(
        from,
        to.replace(/t(\d+)/, (_, number: string) => `t${Number(number) + 1}`),
      ),
      mail(from, 'support@host.example'),
      mail(from, to.replace('@host.example', '@host.example.evil.example')),
      mail(from, toOther),
      mail(`${bob.username}@example.com`, to),
      mail(`ａ${ann.username.slice(1)}@example.com`, to),
      mail(`${from}, ${bob.username}@example.com`, to),
      mail('support@host.example', to),
      mail(to, to),
      mail(from, to, { headers: [forged] }),
      mail(from, to, { headers: ['Authentication-Results: mx; spf=softfail smtp.mailfrom=x@example.com; dkim=none'] }),
      mail(from, to, { headers: ['Auto-Submitted: auto-replied'] }),
      mail(from, to, { headers: ['Precedence: junk'] }),
      mail(from, to, { id: nth(sent, 0).messageId }),
      mail(from, to, { text: '> quoted' }),
      'no mail at all',
    ];
    for (const raw of refused) await handOver(raw);
    expect([await texts(ann, id), await texts(bob, other)]).toEqual([['<p>Since 16:50.</p>'], ['<p>Since 16:50.</p>']]);
    // Whoever gave the address away gives it up with their own.
    await h.db.sql("UPDATE users SET email = 'new@example.com', email_key = 'new@example.com' WHERE id = ?", [ann.id]);
    await handOver(mail(from, to));
    await h.db.sql("UPDATE users SET status = 'banned' WHERE id = ?", [bob.id]);
    await handOver(mail(`${bob.username}@example.com`, toOther));
    expect(await h.db.sql('SELECT key FROM ticket_mails WHERE ticket_id IN (?, ?)', [id, other])).toEqual([]);
  });

  test('what the own mail server says counts, and not what somebody wrote above it', async () => {
    const ann = await player();
    const id = await open(ann);
    const [to, from] = [await addressOf(id), `${ann.username}@example.com`];
    await h.set({ ticket_mail_authserv: 'mx.host.example' });
    const says = (server: string, result: string) => `Authentication-Results: ${server}; ${result}`;
    const fail = 'spf=fail smtp.mailfrom=example.com; dkim=none (no key; dkim=pass)';
    const send = (...headers: string[]) => handOver(mail(from, to, { headers, text: headers.join(' ') || 'None' }));
    await send(says('evil.example', 'dmarc=pass header.from=example.com'), says('mx.host.example', fail));
    expect(await texts(ann, id)).toHaveLength(1);
    await send(says('mx.host.example', 'spf=softfail smtp.mailfrom=example.com; dkim=pass header.d=example.com'));
    await send(says('evil.example', fail));
    await send();
    expect(await texts(ann, id)).toHaveLength(4);
  });

  test('a mail to a closed ticket reopens it while that is possible; later its user hears that once a day', async () => {
    const ann = await player();
    const id = await open(ann);
    const [to, from] = [await addressOf(id), `${ann.username}@example.com`];
    await close(id);
    h.clock.advance(13 * DAY);
    await handOver(mail(from, to));
    expect((await ann.api.tickets.get({ params: { id } })).ticket.status).toBe('open');
    await close(id);
    // Three others are open: there is no room for a fourth.
    const others = [await open(ann), await open(ann), await open(ann)];
    await handOver(mail(from, to));
    for (const each of others) await close(each);
    h.clock.advance(14 * DAY);
    await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ?', [h.clock.now(), h.clock.now() + 90 * DAY]);
    await handOver(mail(from, to));
    await handOver(mail(from, to));
    expect((await ann.api.tickets.get({ params: { id } })).ticket.status).toBe('closed');
    expect(await texts(ann, id)).toHaveLength(2);
    expect((await mailsOf(ann)).filter((template) => template === 'ticketMailRefused')).toHaveLength(2);
  });

  test('a mail to a merged ticket goes on where that went, and one of a blocked sender opens nothing', async () => {
    const ann = await player();
    const [first, second, third] = [await open(ann), await open(ann), await open(ann)];
    const from = `${ann.username}@example.com`;
    const to = await addressOf(first);
    const merge = async (id: string, into: string) => {
      const { ticket } = await oana.api.adminTickets.get({ params: { id: into } });
      await oana.api.adminTickets.merge({ params: { id }, body: { into: ticket.number } });
    };
    const raw = mail(from, to, { text: 'Before', id: '' });
    await handOver(raw);
    await merge(first, second);
    await merge(second, third);
    await handOver(raw);
    await handOver(mail(from, to, { text: 'After' }));
    const all = await texts(ann, third);
    expect([all.filter((text) => text === '<p>Before</p>').length, all.at(-1)]).toEqual([1, '<p>After</p>']);
    await oana.api.adminTickets.block({ params: { id: third }, body: { reason: 'Spam' } });
    await handOver(mail(from, to, { text: 'Still open' }));
    expect((await texts(ann, third)).at(-1)).toBe('<p>Still open</p>');
    await close(third);
    await handOver(mail(from, to, { text: 'Not again' }));
    await h.set({ ticket_mail_new: true, ticket_mail_authserv: 'mx.host.example' });
    const headers = ['Authentication-Results: mx.host.example; dmarc=pass header.from=example.com'];
    await handOver(mail(from, 'support@host.example', { headers }));
    expect((await ann.api.tickets.list({})).rows.every(({ status }) => status === 'closed')).toBe(true);
    expect((await mailsOf(ann)).filter((template) => template.startsWith('ticketMail'))).toEqual(['ticketMailRefused']);
  });

  test('fifty mails of a ticket are taken in a day, and the next ones a day later (attacks T52)', async () => {
    const ann = await player();
    const id = await open(ann);
    const [to, from] = [await addressOf(id), `${ann.username}@example.com`];
    for (let at = 0; at < 49; at += 1)
      await h.db.sql('INSERT INTO ticket_mails (key, ticket_id, seq, message_id, received_ms) VALUES (?, ?, 1, ?, ?)', [
        h.host.services.ids.hash(`${id}${at}`),
        id,
        '',
        h.clock.now(),
      ]);
    await atOnce(3, () => handOver(mail(from, to)));
    expect(await texts(ann, id)).toHaveLength(2);
    h.clock.advance(DAY);
    await handOver(mail(from, to));
    expect(await texts(ann, id)).toHaveLength(3);
  });

  test('files of a mail come with it as pictures or texts, and what is neither is named (attacks T43)', async () => {
    const ann = await player();
    const id = await open(ann);
    const [to, from] = [await addressOf(id), `${ann.username}@example.com`];
    const part = (type: string, name: string, content: Uint8Array | string) =>
      [
        '--b',
        `Content-Type: ${type}`,
        `Content-Disposition: attachment; filename="${name}"`,
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from(content).toString('base64'),
      ].join('\r\n');
    const withFiles = (...parts: string[]) =>
      [`From: ${from}`, `To: ${to}`, 'Content-Type: multipart/mixed; boundary=b', '', ...parts, '--b--'].join('\r\n');
    const picture = encode({ width: 2, height: 2, data: new Uint8Array(16).fill(255) });
    const raw = withFiles(
      part('image/png', '../../shot.png', picture),
      part('text/plain', 'latest.log', 'Line 1\n'),
      part('text/html', 'page.html', '<script>alert(1)</script>\u0000'),
      part('application/zip', 'a`b.zip', 'PK\u0003\u0004'),
      part('application/pgp-signature', 'signature.asc', 'x'),
    );
    await handOver(raw);
    await handOver(raw);
    const { lines } = await ann.api.tickets.get({ params: { id } });
    expect(lines.length).toBe(2);
    expect(nth(lines, 1).attachments.map(({ name }) => name)).toEqual(['shot.webp', 'latest.log']);
    expect(nth(lines, 1).html).toBe('<p>Files that weren’t taken: <code>page.html</code>, <code>ab.zip</code></p>');
    // A large one passes the ceilings on its way.
    await handOver(withFiles(part('application/zip', 'world.zip', new Uint8Array(3 * 1024 * 1024))));
    const [large] = (await ann.api.tickets.get({ params: { id } })).lines.slice(-1);
    expect(large?.html).toContain('world.zip');
    // What staff attach is named in the e-mail, and opened on the site.
    const file = new TextEncoder().encode('online-mode=true');
    const { id: attached } = await oana.api.adminTickets.attach({ query: { name: 'server.properties' }, body: file });
    await oana.api.adminTickets.reply({
      params: { id },
      body: { text: '', internal: false, status: 'answered', seen: 99, attachments: [attached] },
    });
    await h.drainJobs();
    expect(latest(ann).text).toContain('[server.properties]');
    // Nobody fills a player's space by writing in their name.
    const used = () => h.db.uow.read((tx) => tx.attachments.usedBytes(ann.id));
    const before = await used();
    await handOver(raw.replace(from, 'eve@example.com'));
    expect(await used()).toBe(before);
  });

  test('a mail of a user to the mailbox itself opens a ticket where its sender is proven, once, and three at most', async () => {
    const ann = await player();
    const from = `${ann.username}@example.com`;
    const says = (result: string, server = 'mx.host.example') => `Authentication-Results: ${server}; ${result}`;
    const proven = says('dkim=pass header.d=example.com');
    const write = (text: string, headers: string[], more: object = {}) =>
      handOver(mail(from, 'Support <support@host.example>', { text, headers, ...more }));
    const listed = async () => (await ann.api.tickets.list({})).rows.map(({ subject }) => subject);
    await h.set({ ticket_mail_authserv: 'mx.host.example', ticket_mail_new: false });
    await write('Off', [proven]);
    await h.set({ ticket_mail_new: true });
    for (const headers of [
      [],
      [says('spf=none; dkim=none')],
      [says('dkim=pass header.d=other.example')],
      [says('dkim=pass header.d=example.com', 'evil.example')],
      [says('dmarc=fail header.from=example.com; dkim=pass header.d=example.com')],
    ])
      await write('Not proven', headers);
    await handOver(mail('stranger@example.com', 'support@host.example', { headers: [proven] }));
    expect(await listed()).toEqual([]);
    const raw = mail(from, 'support@host.example', { headers: [proven] });
    await atOnce(3, () => handOver(raw));
    expect(await listed()).toEqual(['Re: x']);
    const [ticket] = (await ann.api.tickets.list({})).rows;
    expect(ticket).toMatchObject({ department: 'Technical', status: 'open' });
    await h.drainJobs();
    const { subject, replyTo, inReplyTo } = latest(ann);
    expect([subject, replyTo?.[0]?.address, inReplyTo]).toEqual([
      `[#${ticket?.number}] Re: x`,
      await addressOf(ticket?.id ?? ''),
      `<${/<(.*)>/.exec(raw)?.[1]}>`,
    ]);
    await write('Second', [says('spf=pass smtp.mailfrom=example.com')]);
    await write('Third', [says('dmarc=pass header.from=example.com')]);
    await write('Fourth', [proven]);
    await write('Fifth', [proven]);
    expect(await listed()).toHaveLength(3);
    expect((await mailsOf(ann)).filter((template) => template.startsWith('ticket')).toSorted()).toEqual([
      'ticketMailLimit',
      'ticketOpened',
      'ticketOpened',
      'ticketOpened',
    ]);
    await h.db.sql('UPDATE users SET verified_ms = NULL WHERE id = ?', [ann.id]);
    await h.db.sql("UPDATE tickets SET status = 'closed', closed_ms = 1 WHERE user_id = ?", [ann.id]);
    await write('Not confirmed', [proven]);
    expect(await listed()).toHaveLength(3);
  });

  test('a mail is taken with the signature of the host’s own secret, and of now, alone', async () => {
    const ann = await player();
    const id = await open(ann);
    const raw = mail(`${ann.username}@example.com`, await addressOf(id));
    for (const signature of [
      null,
      '',
      't=1',
      sign(raw).toUpperCase(),
      sign(raw, { secret: 'another' }),
      sign(`${raw}.`),
      sign(raw, { atMs: h.clock.now() - 6 * MINUTE }),
      sign(raw, { atMs: h.clock.now() + HOUR }),
    ])
      expect([signature, (await post(raw, signature)).status]).toEqual([signature, 400]);
    expect((await h.http('/api/webhooks/tickets', { method: 'POST', body: raw })).status).toBe(415);
    await h.set({ ticket_mail_secret: '' });
    expect((await post(raw)).status).toBe(404);
    expect(await texts(ann, id)).toHaveLength(1);
  });
});
