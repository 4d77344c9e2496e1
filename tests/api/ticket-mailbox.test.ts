import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openImap } from '#server/mail/imap.ts';
import { spanFaults } from '#server/modules/settings/spans.ts';
import { isSettingKey, type SettingValues } from '#shared/settings.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { selfSigned } from '#tests/support/certificate.ts';
import { MAILBOX, openDovecot, type Dovecot } from '#tests/support/dovecot.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openLine, type LineFault } from '#tests/support/line.ts';

// Shows behaviour 7.3 (the mailbox of answers), and attacks T52 and T57, on a real IMAP server.

setDefaultTimeout(300_000);

let h: Harness;
let dovecot: Dovecot;
let owner: Person;
let ann: Person;
let ticket: string;
let to: string;
let made = 0;
beforeAll(async () => {
  dovecot = await openDovecot();
});
afterAll(() => dovecot.close());
beforeEach(async () => {
  dovecot.empty();
  h = await openHarness();
  owner = await h.person('owner', { permissions: ['admin.root'] });
  ann = await h.person('ann');
  const body = { name: 'Technical', description: '', hours: '', position: 0, enabled: true };
  const { id: department } = await owner.api.adminDepartments.create({ body });
  const input = { department, priority: 'normal' as const, subject: 'Cannot join', text: 'Since 16:50.' };
  ticket = (await ann.api.tickets.create({ body: input })).id;
  await h.set({ ticket_mail_enabled: true, ticket_mail_address: 'support@host.example' });
  to = (await h.host.services.mailThreads.headersOf({ ticketId: ticket }))['Reply-To'] ?? '';
  await use(dovecot.port);
});
afterEach(() => h.close());

const use = (port: number, more: object = {}) =>
  h.set({
    imap_host: '127.0.0.1',
    imap_port: port,
    imap_encryption: 'none',
    imap_username: MAILBOX.username,
    imap_password: MAILBOX.password,
    imap_folder: MAILBOX.folder,
    ...more,
  });
const mail = (text: string, from = 'ann@example.com') =>
  [`From: ${from}`, `To: ${to}`, `Message-ID: <m${(made += 1)}@m.example>`, '', text, ''].join('\r\n');
const poll = () => h.host.services.tasks.find(({ name }) => name === 'ticketMail.poll')?.run();
/** What Ann wrote by mail. */
const texts = async () => {
  const rows = await h.db.sql<{ text: string }>(
    'SELECT text FROM ticket_messages WHERE ticket_id = ? AND seq > 1 ORDER BY seq',
    [ticket],
  );
  return rows.map(({ text }) => text);
};
/** Mails that Ann wrote are read, and lie in the mailbox from then on. In: how many. */
const receive = async (count: number) => {
  for (let at = 1; at <= count; at += 1) dovecot.deliver(mail(`Mail ${at}`));
  await poll();
  expect(await texts()).toHaveLength(count);
};
const health = async () => {
  const report = await h.host.services.health.check({ all: true });
  const row = report.rows.find(({ key }) => key === 'ticketMail');
  return [row?.code, row?.status];
};
const ask = async () => {
  const { outcome, fact } = await owner.api.adminSettings.test({ params: { service: 'imap' } });
  return [outcome, fact];
};

test('what comes to the mailbox becomes messages in its order, once, and is marked as read', async () => {
  expect(await health()).toEqual(['new', 'unknown']);
  for (const text of ['One', 'Two', 'Three']) dovecot.deliver(mail(text));
  dovecot.deliver(mail('Not hers', 'eve@example.com'));
  await poll();
  expect(await texts()).toEqual(['One', 'Two', 'Three']);
  expect(dovecot.flags()).toEqual(['S', 'S', 'S', 'S']);
  await poll();
  dovecot.deliver(mail('Four'));
  await poll();
  expect([await texts(), await health()]).toEqual([
    ['One', 'Two', 'Three', 'Four'],
    ['ok', 'ok'],
  ]);
});

test('a mailbox whose mails have new numbers is read again, and nothing of it is there twice', async () => {
  await receive(4);
  const before = await texts();
  dovecot.renumber();
  dovecot.deliver(mail('After it'));
  await poll();
  expect(await texts()).toEqual([...before, 'After it']);
});

test('a mail that was taken, but not written down as read, is known when it comes again', async () => {
  await receive(4);
  const before = await texts();
  dovecot.deliver(mail('Once'));
  await poll();
  await h.db.sql('UPDATE ticket_mailbox SET last_uid = last_uid - 1');
  await poll();
  expect(await texts()).toEqual([...before, 'Once']);
});

test('a server that refuses or lacks the folder, and none at all, are states of health and cost no mail', async () => {
  await receive(4);
  const before = await texts();
  dovecot.deliver(mail('Waits'));
  const gone = await openLine(dovecot.port);
  await gone.close();
  for (const [port, more, code, outcome] of [
    [dovecot.port, { imap_password: 'wrong' }, 'refused', 'refused'],
    [dovecot.port, { imap_folder: 'Nowhere' }, 'folder', 'refused'],
    [gone.port, {}, 'silent', 'silent'],
  ] as const) {
    await use(port, more);
    await poll();
    expect([code, await health(), (await ask())[0]]).toEqual([code, [code, 'warning'], outcome]);
  }
  await use(dovecot.port);
  await poll();
  const mails = dovecot.flags().length;
  expect([await texts(), await health(), await ask()]).toEqual([
    [...before, 'Waits'],
    ['ok', 'ok'],
    ['ok', `INBOX: ${mails}`],
  ]);
  await h.set({ imap_host: '' });
  expect([await health(), await ask()]).toEqual([
    ['hook', 'ok'],
    ['notSet', null],
  ]);
});

test('a server that hangs, breaks off or says everything twice ends in time, and adds nothing twice (attacks T52)', async () => {
  // Enough that each fault happens while they are read.
  await receive(8);
  const line = await openLine(dovecot.port);
  const config = { host: '127.0.0.1', port: line.port, security: 'none', ...MAILBOX } as const;
  const limits = { connectMs: 200, greetingMs: 200, socketMs: 200 };
  // Only one that hangs is waited for in vain, and a busy machine takes longer than that to answer.
  const patient = { connectMs: 60_000, greetingMs: 60_000, socketMs: 60_000 };
  const read = async (fault: LineFault) => {
    const box = await openImap(config, fault === 'hang' ? { ...patient, socketMs: 1000 } : patient);
    line.fault = fault;
    const found = await box.list(0, 0, 50);
    const got = [];
    for (const { uid } of found) got.push(await box.get(uid));
    await box.close();
    return got.length;
  };
  const mails = dovecot.flags().length;
  expect(await read('pass')).toBe(mails);
  for (const fault of ['hang', { cutAfter: 1500 }, { cutAfter: 3000 }] as const) {
    line.fault = 'pass';
    await expect(read(fault)).rejects.toMatchObject({ name: 'MailboxFault', code: 'silent' });
  }
  line.fault = 'hang';
  await expect(openImap(config, limits)).rejects.toMatchObject({ code: 'silent' });
  const before = await texts();
  dovecot.deliver(mail('Not twice'));
  await use(line.port);
  line.fault = 'twice';
  await poll();
  line.fault = 'pass';
  await poll();
  await poll();
  expect(await texts()).toEqual([...before, 'Not twice']);
  await line.close();
});

describe('a mailbox behind TLS', () => {
  const certificate = selfSigned('localhost');
  const limits = { connectMs: 5000, greetingMs: 5000, socketMs: 5000 };
  let secure: Dovecot;
  beforeAll(async () => {
    secure = await openDovecot(certificate);
  });
  afterAll(() => secure.close());
  const at = (port: number, security: 'tls' | 'starttls', host = 'localhost') =>
    ({ host, port, security, ...MAILBOX }) as const;

  test.each(['tls', 'starttls'] as const)('a mailbox is read over %s', async (security) => {
    secure.deliver(mail(`Over ${security}`));
    const port = security === 'tls' ? secure.tlsPort : secure.port;
    const box = await openImap(at(port, security), { ...limits, ca: certificate.cert });
    const last = (await box.list(0, 0, 50)).at(-1);
    const got = await box.get(last?.uid ?? 0);
    await box.markRead(last?.uid ?? 0);
    await box.close();
    expect(new TextDecoder().decode(got ?? undefined)).toContain(`Over ${security}`);
    expect(secure.flags()).toContain('S');
  });

  test('T57 a server whose certificate nobody vouches for, or of another name, gets no password', async () => {
    const before = secure.logins();
    const ways = [
      ['tls', secure.tlsPort],
      ['starttls', secure.port],
    ] as const;
    for (const [security, port] of ways) {
      await expect(openImap(at(port, security), limits)).rejects.toMatchObject({ code: 'silent' });
      const byNumber = openImap(at(port, security, '127.0.0.1'), { ...limits, ca: certificate.cert });
      await expect(byNumber).rejects.toMatchObject({ code: 'silent' });
    }
    // A server that offers no encryption is not spoken to in clear instead.
    await expect(openImap(at(dovecot.port, 'starttls'), limits)).rejects.toMatchObject({ name: 'MailboxFault' });
    expect(secure.logins()).toBe(before);
    // Whoever is vouched for gets it, and that is counted.
    for (const [security, port] of ways)
      await (await openImap(at(port, security), { ...limits, ca: certificate.cert })).close();
    expect(secure.logins()).toBe(before + 2);
  });
});

test('a password crosses no network in clear, and no other server is given it (attacks T57)', async () => {
  const config = { host: 'imap.example.com', port: 143, security: 'none', ...MAILBOX } as const;
  await expect(openImap(config)).rejects.toMatchObject({ code: 'refused' });
  const fields = (changes: Parameters<Harness['set']>[0]) =>
    h.set(changes).then(
      () => null,
      (error: { fields?: unknown }) => error.fields,
    );
  expect(await fields({ imap_host: 'thief.example.com', imap_encryption: 'tls' })).toEqual({
    imap_password: ['REQUIRED'],
  });
  const wrong = (changes: Partial<SettingValues>) =>
    spanFaults({ ...h.host.services.settings.current(), ...changes }, Object.keys(changes).filter(isSettingKey));
  expect(wrong({ imap_host: 'imap.example.com' })).toEqual([['imap_encryption', 'NOT_ALLOWED']]);
  expect(wrong({ imap_username: '' })).toEqual([['imap_username', 'REQUIRED']]);
  expect(wrong({ ticket_mail_address: '' })).toEqual([['ticket_mail_address', 'REQUIRED']]);
  expect(await fields({ ticket_mail_address: 'sup+port@host.example' })).toEqual({ ticket_mail_address: ['INVALID'] });
});

test('a mail that cannot be taken is tried again, and after five times holds up nobody', async () => {
  await receive(4);
  const before = await texts();
  await h.db.sql('ALTER TABLE ticket_mails RENAME TO ticket_mails_away');
  dovecot.deliver(mail('Given up'));
  for (let run = 0; run < 4; run += 1) await expect(poll()).rejects.toThrow();
  await poll();
  await h.db.sql('ALTER TABLE ticket_mails_away RENAME TO ticket_mails');
  dovecot.deliver(mail('After it'));
  await poll();
  expect(await texts()).toEqual([...before, 'After it']);
  // Who looks into the mailbox finds it there, unread.
  expect(dovecot.flags()).toContain('');
  expect(h.errors.map(({ event }) => event)).toContain('ticket_mail.given_up');
});

test('the first look at a mailbox leaves alone what is older than seven days, and what comes later is read', async () => {
  await receive(4);
  await h.db.sql('DELETE FROM ticket_mailbox');
  dovecot.deliver(mail('Too old'));
  // The server counts its own days: in nine of them, all of this is old.
  h.clock.advance(Date.now() + 9 * DAY - h.clock.now());
  const before = await texts();
  await poll();
  await poll();
  expect(await texts()).toEqual(before);
  h.clock.advance(-9 * DAY - HOUR);
  dovecot.deliver(mail('New'));
  await poll();
  expect(await texts()).toEqual([...before, 'New']);
});
