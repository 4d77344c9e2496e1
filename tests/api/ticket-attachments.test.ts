import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { uploadOfEntry } from '#server/backups/content.ts';
import { toAttachmentName } from '#shared/attachments.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { pngOf } from '#tests/support/pictures.ts';

// Shows behaviour 7.3.

setDefaultTimeout(300_000);

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const PNG = pngOf(640, 400);

describe.each(ENGINES)('files of messages on %s', (engine) => {
  let h: Harness;
  let department: string;
  let oana: Person;
  let made = 0;
  beforeAll(async () => {
    h = await openHarness({ engine });
    oana = await h.person('oana', { permissions: ['admin.tickets.list', 'admin.tickets.view'] });
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    const body = { name: 'Technical', description: '', hours: '', position: 0, enabled: true };
    department = (await owner.api.adminDepartments.create({ body })).id;
  });
  afterAll(() => h.close());
  beforeEach(() => {
    h.clock.advance(11 * MINUTE);
  });

  const player = () => h.person(`player${(made += 1)}`);
  const keep = (who: Person, name: string, body: Uint8Array<ArrayBuffer>) =>
    who.api.tickets.attach({ query: { name }, body });
  const open = async (who: Person, attachments: string[] = [], text = 'See the file') =>
    (
      await who.api.tickets.create({
        body: { department, priority: 'normal', subject: 'Cannot join', text, attachments },
      })
    ).id;
  const refusalOf = async (tried: Promise<unknown>): Promise<unknown> => {
    const error = await tried.then(
      () => null,
      (thrown: { fields?: Record<string, string[]>; code: string }) => thrown,
    );
    return error?.fields?.file?.[0] ?? error?.fields?.attachments?.[0] ?? error?.fields?.text?.[0] ?? error?.code;
  };
  const download = (who: Person, id: string, options: { staff?: boolean; form?: string } = {}) =>
    h.http(
      `/api/${options.staff ? 'admin/' : ''}ticket-attachments/${id}${options.form ? `?form=${options.form}` : ''}`,
      {
        headers: { Cookie: `${SESSION_COOKIE}=${who.secret}` },
      },
    );
  const filesOf = (id: string) => {
    const folder = join(h.dataDir, 'uploads', 'tickets', id.slice(-2));
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(id)) : [];
  };
  const clear = () => h.host.services.tasks.find(({ name }) => name === 'tickets.unsent')?.run();

  test('a picture and a text go with a message, are shown with it, and are saved under their names', async () => {
    const mirela = await player();
    const picture = await keep(mirela, 'C:\\Bilder\\Fehler „Zeit“.PNG', PNG);
    expect(picture).toMatchObject({ name: 'Fehler „Zeit“.webp', type: 'image/webp', width: 640, height: 400 });
    const log = await keep(mirela, 'latest.log', bytesOf('[16:50] \u001b[31mCould not bind to port\n'));
    expect(log).toMatchObject({ name: 'latest.log', type: 'text/plain; charset=utf-8', width: null });
    const id = await open(mirela, [picture.id, log.id], '');
    const { lines } = await mirela.api.tickets.get({ params: { id } });
    expect(lines[0]?.attachments.map(({ id: file }) => file)).toEqual([picture.id, log.id]);
    const whole = await download(mirela, picture.id);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'image/webp',
      'content-disposition':
        'attachment; filename="Fehler__Zeit_.webp"; filename*=UTF-8\'\'Fehler%20%E2%80%9EZeit%E2%80%9C.webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-cache',
    });
    const small = await new Bun.Image(
      await (await download(oana, picture.id, { staff: true, form: 'preview' })).bytes(),
    ).metadata();
    expect([small.format, small.width, small.height]).toEqual(['webp', 480, 300]);
    const shown = (id: string) => download(mirela, id, { form: 'view' });
    expect((await shown(picture.id)).headers.get('content-disposition')).toBe('inline');
    expect((await shown(log.id)).headers.get('content-disposition')).toBe('attachment; filename="latest.log"');
    expect(await (await download(mirela, log.id)).text()).toContain('Could not bind');
    expect((await download(mirela, log.id, { form: 'preview' })).status).toBe(404);
  });

  test('T43 a file is what its bytes are, whatever it is called', async () => {
    const mirela = await player();
    for (const [name, body] of [
      ['picture.png', bytesOf('MZ\0\u0001 this program')],
      ['moving.gif', new Uint8Array(Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'))],
      ['half.png', PNG.subarray(0, 200)],
      ['word.txt', new Uint8Array([0xff, 0xfe, 0x41, 0x00])],
      ['latin.txt', new Uint8Array([0x61, 0xe9, 0x62])],
    ] as const)
      expect([name, await refusalOf(keep(mirela, name, new Uint8Array(body)))]).toEqual([name, 'ATTACHMENT_FORMAT']);
    expect(await refusalOf(keep(mirela, 'empty.txt', new Uint8Array()))).toBe('REQUIRED');
    expect(await refusalOf(keep(mirela, 'big.txt', new Uint8Array(5 * 1024 * 1024 + 1).fill(97)))).toBe(
      'PAYLOAD_TOO_LARGE',
    );
    // A page is a text: it is saved as one, and never shown.
    const page = await keep(mirela, 'page.html', bytesOf('<script>alert(1)</script>'));
    const { headers } = await download(mirela, page.id);
    expect([page.name, headers.get('content-type')]).toEqual(['page.html.txt', 'text/plain; charset=utf-8']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="page.html.txt"');
  });

  test('T42 nothing of a picture is kept but its pixels', async () => {
    const mirela = await player();
    const plain = new Uint8Array(await new Bun.Image(PNG).jpeg({ quality: 80 }).bytes());
    const place = bytesOf('Exif\0\0GPS 44.4268N Lantern Street');
    const head = Uint8Array.of(0xff, 0xe1, 0, place.length + 2);
    const file = new Uint8Array(Buffer.concat([plain.subarray(0, 2), head, place, plain.subarray(2)]));
    const { id } = await keep(mirela, 'photo.jpg', new Uint8Array(Buffer.concat([file, bytesOf('<script>')])));
    const kept = Buffer.from(await (await download(mirela, id)).bytes());
    for (const trace of ['Lantern Street', 'Exif', '<script>']) expect(kept.includes(trace)).toBe(false);
  });

  test('T43 a file of a ticket is read by its user and by staff, one of a note by staff alone, an unsent one by its author', async () => {
    const [mirela, tobi] = [await player(), await player()];
    const { id: file } = await keep(mirela, 'a.txt', bytesOf('mine'));
    const reading = async (id: string) => [
      (await download(mirela, id)).status,
      (await download(tobi, id)).status,
      (await download(tobi, id, { staff: true })).status,
      (await download(oana, id)).status,
      (await download(oana, id, { staff: true })).status,
    ];
    expect(await reading(file)).toEqual([200, 404, 403, 404, 404]);
    const id = await open(mirela, [file]);
    expect(await reading(file)).toEqual([200, 404, 403, 404, 200]);
    const { id: noted } = await oana.api.adminTickets.attach({ query: { name: 'n.txt' }, body: bytesOf('note') });
    await oana.api.adminTickets.reply({
      params: { id },
      body: { text: '', attachments: [noted], internal: true, status: 'answered', seen: 1 },
    });
    expect(await reading(noted)).toEqual([404, 404, 403, 404, 200]);
    expect((await h.http(`/api/ticket-attachments/${file}`)).status).toBe(401);
  });

  test('T24 nobody sends a file of somebody else, or one that was sent', async () => {
    const [mirela, tobi] = [await player(), await player()];
    const { id: file } = await keep(mirela, 'a.txt', bytesOf('mine'));
    expect(await refusalOf(open(tobi, [file]))).toBe('ATTACHMENT_GONE');
    expect(await refusalOf(open(mirela, [file, crypto.randomUUID()]))).toBe('ATTACHMENT_GONE');
    const id = await open(mirela, [file, file]);
    const send = (attachments: string[], text = '') =>
      mirela.api.tickets.reply({ params: { id }, body: { text, attachments } });
    expect(await refusalOf(send([file]))).toBe('ATTACHMENT_GONE');
    expect(await refusalOf(send([]))).toBe('REQUIRED');
    expect(
      await codeOf(
        send(
          Array.from({ length: 6 }, () => crypto.randomUUID()),
          'x',
        ),
      ),
    ).toBe('VALIDATION_FAILED');
    expect((await mirela.api.tickets.get({ params: { id } })).lines).toHaveLength(1);
  });

  test('T1 a file that two messages are sent with at once is in one of them', async () => {
    const mirela = await player();
    const { id: file } = await keep(mirela, 'a.txt', bytesOf('mine'));
    const id = await open(mirela);
    const sent = await Promise.all(
      Array.from({ length: 6 }, () =>
        refusalOf(mirela.api.tickets.reply({ params: { id }, body: { text: 'x', attachments: [file] } })),
      ),
    );
    expect(sent.toSorted()).toEqual([...Array.from({ length: 5 }, () => 'ATTACHMENT_GONE'), undefined]);
  });

  test('T52 a user has room for 250 MB and for twenty files that wait', async () => {
    const mirela = await player();
    const ids: string[] = [];
    for (let count = 0; count < 22; count += 1) {
      h.clock.advance(1000);
      ids.push((await keep(mirela, `${count}.txt`, bytesOf('x'))).id);
    }
    await clear();
    const left = await Promise.all(ids.map(async (id) => (await download(mirela, id)).status));
    expect(left).toEqual([404, 404, ...Array.from({ length: 20 }, () => 200)]);
    await h.db.sql('UPDATE ticket_attachments SET bytes = ? WHERE id = ?', [250 * 1024 * 1024, ids.at(-1) ?? '']);
    expect(await refusalOf(keep(mirela, 'more.txt', bytesOf('x')))).toBe('ATTACHMENT_QUOTA');
  });

  test('a file that is not sent within a day is deleted, and so is one whose ticket is gone with the account', async () => {
    const mirela = await player();
    const unsent = await keep(mirela, 'late.png', PNG);
    const sent = await keep(mirela, 'sent.png', PNG);
    await open(mirela, [sent.id]);
    expect([filesOf(unsent.id).length, filesOf(sent.id).length]).toEqual([2, 2]);
    // Backups hold them: their names are such as a backup takes.
    for (const name of filesOf(sent.id))
      expect(uploadOfEntry(`uploads/tickets/${sent.id.slice(-2)}/${name}`)).not.toBeNull();
    const exported = await h.db.uow.read((tx) => tx.exports.sections(mirela.id));
    expect(exported.ticket_attachments).toMatchObject([{ name: 'sent.webp', type: 'image/webp' }]);
    h.clock.advance(DAY);
    await clear();
    expect([filesOf(unsent.id).length, filesOf(sent.id).length]).toEqual([0, 2]);
    expect(await refusalOf(open(mirela, [unsent.id]))).toBe('ATTACHMENT_GONE');
    const [role] = await h.db.sql<{ id: string }>('SELECT role_id AS id FROM users WHERE id = ?', [mirela.id]);
    const gone = { username: 'gone', email: 'gone@example.com', roleId: role?.id ?? '' };
    await h.db.uow.run((tx) => tx.deletions.erase(mirela.id, gone, 0));
    await clear();
    expect([filesOf(sent.id), await h.db.sql('SELECT id FROM ticket_attachments WHERE id = ?', [sent.id])]).toEqual([
      [],
      [],
    ]);
  });

  test('T56 nothing of a ticket is left in any table once the account of its user is erased', async () => {
    const mirela = await player();
    const file = await keep(mirela, 'sent.png', PNG);
    const id = await open(mirela, [file.id], 'Pangolin');
    await oana.api.adminTickets.reply({
      params: { id },
      body: { text: 'Third case', internal: true, status: 'answered', seen: 99 },
    });
    await oana.api.adminTickets.update({ params: { id }, body: { tags: ['launch'] } });
    await oana.api.adminTickets.block({ params: { id }, body: { reason: 'Spam' } });
    const asked: readonly (readonly [string, string])[] = [
      ['SELECT id FROM tickets WHERE id = ?', id],
      ['SELECT id FROM ticket_messages WHERE ticket_id = ?', id],
      ["SELECT doc FROM ticket_texts WHERE words LIKE '%' || CAST(? AS TEXT) || '%'", 'pangolin'],
      ['SELECT tag FROM ticket_tags WHERE ticket_id = ?', id],
      ['SELECT id FROM ticket_attachments WHERE ticket_id = ?', id],
      ['SELECT user_id FROM ticket_blocks WHERE user_id = ?', mirela.id],
    ];
    const count = async () => {
      const counts = [];
      for (const [sql, value] of asked) counts.push((await h.db.sql(sql, [value])).length > 0);
      return counts;
    };
    expect(await count()).toEqual(asked.map(() => true));
    const [role] = await h.db.sql<{ id: string }>('SELECT role_id AS id FROM users WHERE id = ?', [mirela.id]);
    const gone = { username: 'gone2', email: 'gone2@example.com', roleId: role?.id ?? '' };
    await h.db.uow.run((tx) => tx.deletions.erase(mirela.id, gone, 0));
    await clear();
    expect(await count()).toEqual(asked.map(() => false));
    expect(filesOf(file.id)).toEqual([]);
  });
});

test.each([
  ['../../etc/passwd', 'passwd.txt'],
  ['a\\b\\c.log', 'c.log'],
  ['x\r\nSet-Cookie: a=b.txt', 'xSet-Cookie_ a=b.txt'],
  ['a";filename="b.exe', 'a_;filename=_b.exe.txt'],
  ['fdp.\u202Etxt.exe', 'fdp.txt.exe.txt'],
  ['.htaccess', 'htaccess.txt'],
  ['...', 'text.txt'],
  ['', 'text.txt'],
  ['\u0000\u200B', 'text.txt'],
  ['ș'.repeat(300), `${'ș'.repeat(96)}.txt`],
  ['server.properties', 'server.properties'],
])('T43 the name %j of a text is kept as %j', (given, kept) => {
  expect(toAttachmentName(given, 'text')).toBe(kept);
});
