import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { crc32, inflateRawSync } from 'node:zlib';
import { EXPORT_JOB } from '#server/modules/exports/index.ts';
import { zipFiles } from '#server/zip.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { DAY } from '#shared/time.ts';
import { ctxOf, guestCtx, openBrowser } from '#tests/support/browser.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { pngOf } from '#tests/support/pictures.ts';
import { addPasskey } from '#tests/support/passkeys.ts';

// Shows behaviour 3.8.

/** The files of an archive, by its directory (APPNOTE 6.3): each with the checksum and the sizes it says. */
function unzip(bytes: Uint8Array): Map<string, string> {
  const zip = Buffer.from(bytes);
  const end = zip.length - 22;
  expect(zip.readUInt32LE(end)).toBe(0x06054b50);
  const files = new Map<string, string>();
  let at = zip.readUInt32LE(end + 16);
  for (let count = zip.readUInt16LE(end + 10); count > 0; count -= 1) {
    expect(zip.readUInt32LE(at)).toBe(0x02014b50);
    const [crc, packed, size] = [16, 20, 24].map((offset) => zip.readUInt32LE(at + offset));
    const length = zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 46, at + 46 + length);
    const header = zip.readUInt32LE(at + 42);
    expect([zip.readUInt32LE(header), zip.readUInt16LE(header + 26)]).toEqual([0x04034b50, length]);
    const start = header + 30 + length;
    const content = inflateRawSync(zip.subarray(start, start + (packed ?? 0)));
    expect([crc32(content), content.length]).toEqual([crc ?? 0, size ?? 0]);
    files.set(name, content.toString('utf8'));
    at += 46 + length;
  }
  expect(at).toBe(end);
  return files;
}

describe.each(ENGINES)('the export of one’s data on %s', (engine) => {
  let h: Harness;
  let mirela: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    mirela = await h.person('mirela.v', { credits: 5 });
  });
  afterEach(() => h.close());

  const exports = () => h.host.services.exports;
  const open = () => {
    const browser = openBrowser(h);
    browser.cookies.set(SESSION_COOKIE, mirela.secret);
    return browser;
  };

  test('the archive has one’s tickets with what was said and their files, and nothing that staff noted', async () => {
    const oana = await h.person('oana', { permissions: ['admin.root'] });
    const department = await oana.api.adminDepartments.create({
      body: { name: 'Technical', description: '', hours: '', position: 0, enabled: true },
    });
    const log = { query: { name: 'latest.log' }, body: new TextEncoder().encode('bind failed') };
    const { id: file } = await mirela.api.tickets.attach(log);
    const { id } = await mirela.api.tickets.create({
      body: {
        department: department.id,
        priority: 'normal',
        subject: 'Cannot join',
        text: 'Since noon',
        attachments: [file],
      },
    });
    const write = (text: string, internal: boolean) =>
      oana.api.adminTickets.reply({ params: { id }, body: { text, internal, status: 'answered', seen: 99 } });
    await write('Look at the port', false);
    await write('Third case this week', true);
    await mirela.api.accountExport.request();
    await h.drainJobs();
    const answer = await open().get('/api/account/export.zip');
    const files = unzip(new Uint8Array(await answer.arrayBuffer()));
    const rows = (name: string) => JSON.parse(files.get(`json/${name}.json`) ?? '[]') as Record<string, unknown>[];
    expect(rows('tickets')).toMatchObject([{ subject: 'Cannot join', status: 'answered' }]);
    expect(rows('ticket_messages').map(({ kind, text }) => [kind, text])).toEqual([
      ['user', 'Since noon'],
      ['staff', 'Look at the port'],
    ]);
    expect(rows('ticket_attachments')).toMatchObject([{ name: expect.stringContaining('latest'), bytes: 11 }]);
    expect([...files.values()].join('\n')).not.toContain('Third case');
  });

  test('T56 a job makes one archive of JSON and CSV with everything about the user, and a notification says so', async () => {
    for (let at = 0; at < 600; at += 1) await h.creditPerson(mirela.id, 1);
    await h.host.services.identity.requestPasswordReset(guestCtx(), 'mirela.v', '');
    await h.person('tobi');
    await mirela.api.accountExport.request();
    expect((await mirela.api.accountExport.get()).export).toMatchObject({ state: 'working', size: null });
    expect((await open().get('/api/account/export.zip')).status).toBe(404);
    await h.drainJobs();
    expect((await mirela.api.accountExport.get()).export?.state).toBe('ready');
    const answer = await open().get('/api/account/export.zip');
    expect(answer.headers.get('content-type')).toContain('application/zip');
    expect(answer.headers.get('content-disposition')).toContain('mirela.v.zip');
    const files = unzip(new Uint8Array(await answer.arrayBuffer()));
    expect(JSON.parse(files.get('json/account.json') ?? '')).toMatchObject([
      { username: 'mirela.v', email: 'mirela.v@example.com', role: 'Member' },
    ]);
    expect((JSON.parse(files.get('json/statement.json') ?? '') as unknown[]).length).toBe(601);
    expect(files.get('csv/statement.csv')?.split('\r\n')[0]).toBe('id,at,kind,subject,reason,amount,balance_after');
    expect([...files.keys()].filter((name) => name.startsWith('json/')).length).toBe(
      [...files.keys()].filter((name) => name.startsWith('csv/')).length,
    );
    const all = [...files.values()].join('\n');
    const secrets = await h.db.sql<{ password_hash: string }>('SELECT password_hash FROM users');
    for (const { password_hash: hash } of secrets) expect(all).not.toContain(hash);
    expect(all).not.toMatch(/tobi|token=|argon2/);
    const notified = await h.db.sql("SELECT id FROM notifications WHERE kind = 'exportReady'");
    expect(notified).toHaveLength(1);
  }, 300_000);

  test('T56 images are in the export with their archive, and the names that their files have there', async () => {
    await h.set({ image_hosting_enabled: true, image_price: 0 });
    for (const name of ['night tower.png', 'a.jpg']) {
      const query = { upload: crypto.randomUUID(), name };
      await mirela.api.images.upload({ query, body: pngOf(20, 20, name.length) });
      h.clock.advance(1000);
    }
    await mirela.api.accountExport.request();
    await h.drainJobs();
    const files = unzip((await exports().download(await ctxOf(h, mirela.secret))).bytes);
    const rows = JSON.parse(files.get('json/images.json') ?? '') as { file: string; archive: string }[];
    expect(rows.map(({ file }) => file)).toEqual(['00001 night tower.png', '00002 a.jpg.png']);
    const { pathname } = new URL(rows[0]?.archive ?? '');
    const archive = await h.http(pathname, { headers: { Authorization: `Bearer ${mirela.secret}` } });
    const bytes = Buffer.from(await archive.bytes());
    expect(rows.map(({ file }) => bytes.includes(file))).toEqual([true, true]);
    expect(files.get('csv/images.csv')).toContain('00002 a.jpg.png');
  });

  test('T56 rewards, referrals, addresses and limits are in the export, without secrets and without who else took part', async () => {
    const tobi = await h.person('tobi');
    const rows: Record<string, Record<string, string | number | null>> = {
      referral_codes: { user_id: mirela.id, code: 'MIRELA', created_ms: 1 },
      referrals: {
        newcomer_id: tobi.id,
        referrer_id: mirela.id,
        code: 'MIRELA',
        state: 'done',
        reason: null,
        network: '198.51.100.0/24',
        created_ms: 1,
        next_check_ms: 1,
        qualified_ms: 2,
        closed_ms: 3,
        newcomer_state: 'paid',
        newcomer_credits: 11,
        newcomer_tx: null,
        referrer_state: 'paid',
        referrer_credits: 22,
        referrer_tx: null,
        referrer_ms: 3,
      },
      held_rewards: {
        id: '01890000-0000-7000-8000-000000000001',
        user_id: mirela.id,
        source: 'afk',
        amount: 7,
        parts: 1,
        reference: 'secret-reference',
        subject: 'a-device',
        pool: 'system:afk',
        cause: 'score',
        score: 80,
        reasons: '["secret_signal"]',
        tx_id: 'secret-transaction',
        hold_id: 'secret-hold',
        state: 'rejected',
        release_ms: null,
        created_ms: 1,
        updated_ms: 3,
        decided_ms: 3,
        decided_by: null,
        note: 'It is my brother’s phone',
        note_ms: 2,
        counted_day: null,
        counted: 0,
      },
      link_claims: {
        id: '01890000-0000-7000-8000-000000000002',
        user_id: mirela.id,
        provider: 'generic',
        token_hash: 'secret-hash',
        token_sealed: 'secret-token',
        link_sealed: 'secret-link',
        credits: 100,
        state: 'paid',
        session_id: 'secret-session',
        network: '203.0.113.0/24',
        started_ms: 1,
        ready_ms: 1,
        expires_ms: 2,
        checking_ms: null,
        answer: null,
        tx_id: 'secret-transaction',
        closed_ms: 2,
      },
      email_changes: {
        id: '01890000-0000-7000-8000-000000000003',
        user_id: mirela.id,
        old_email: 'before@example.com',
        old_email_key: 'before@example.com',
        new_email: 'mirela.v@example.com',
        password_version: 1,
        confirm_hash: 'secret-confirm',
        undo_hash: 'secret-undo',
        created_ms: 1,
        done_ms: 2,
        expires_ms: 3,
      },
      user_skins: { user_id: mirela.id, png: 'aVBORw==', sha256: 'a'.repeat(64), updated_ms: 1 },
    };
    for (const [table, row] of Object.entries(rows))
      await h.db.sql(
        `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
          .map(() => '?')
          .join(', ')}) RETURNING 1`,
        Object.values(row),
      );
    await mirela.api.accountExport.request();
    await h.drainJobs();
    const files = unzip((await exports().download(await ctxOf(h, mirela.secret))).bytes);
    const section = (name: string) => JSON.parse(files.get(`json/${name}.json`) ?? '') as unknown;
    expect(section('referral_code')).toMatchObject([{ code: 'MIRELA' }]);
    expect(section('referred')).toMatchObject([{ state: 'done', reward: 'paid', credits: 22 }]);
    expect(section('referred_by')).toEqual([]);
    expect(section('held_rewards')).toMatchObject([{ source: 'afk', amount: 7, note: 'It is my brother’s phone' }]);
    expect(section('link_rewards')).toMatchObject([{ provider: 'generic', credits: 100, network: '203.0.113.0/24' }]);
    expect(section('email_changes')).toMatchObject([{ old_email: 'before@example.com' }]);
    expect(section('skins')).toMatchObject([{ png: 'aVBORw==' }]);
    expect(section('limits')).toMatchObject([{ memory: expect.any(Number), slots: expect.any(Number) }]);
    const all = [...files.values()].join('\n');
    for (const hidden of ['secret', tobi.id, 'tobi', '198.51.100.0/24']) expect(all).not.toContain(hidden);
    // No credits ever stood behind it.
    await h.db.sql('DELETE FROM held_rewards');
  });

  test('T56 passkeys and API tokens are in the export, without what could open anything', async () => {
    await addPasskey(open(), { name: 'Phone of Mirela' });
    const { token } = await mirela.api.apiTokens.create({
      body: { name: 'Backups', scopes: ['servers:read'], addresses: '203.0.113.0/24', expires_in_days: 30 },
    });
    await mirela.api.accountExport.request();
    await h.drainJobs();
    const files = unzip((await exports().download(await ctxOf(h, mirela.secret))).bytes);
    expect(JSON.parse(files.get('json/passkeys.json') ?? '')).toMatchObject([{ name: 'Phone of Mirela' }]);
    expect(JSON.parse(files.get('json/api_tokens.json') ?? '')).toMatchObject([
      { name: 'Backups', tail: token.slice(-4), addresses: '["203.0.113.0/24"]' },
    ]);
    const all = [...files.values()].join('\n');
    expect(all).not.toContain(token);
    for (const { token_hash: hash } of await h.db.sql<{ token_hash: string }>('SELECT token_hash FROM api_tokens'))
      expect(all).not.toContain(hash);
    for (const { public_key: key } of await h.db.sql<{ public_key: string }>('SELECT public_key FROM passkeys'))
      expect(all).not.toContain(key);
  });

  test('T52 an export asked for fifty times at once is made once, and again only when it has expired', async () => {
    const ctx = await ctxOf(h, mirela.secret);
    expect(await atOnce(50, () => exports().request(ctx))).toEqual({ ok: 50 });
    const jobs = () => h.db.sql('SELECT id FROM jobs WHERE kind = ?', [EXPORT_JOB]);
    expect(await jobs()).toHaveLength(1);
    await h.drainJobs();
    await exports().request(ctx);
    expect(await jobs()).toHaveLength(1);
    h.clock.advance(DAY);
    expect(await exports().get(ctx)).toBeNull();
    expect(await codeOf(exports().download(ctx))).toBe('NOT_FOUND');
    await h.drainJobs();
    expect(await h.db.sql('SELECT id FROM data_exports')).toEqual([]);
    await exports().request(ctx);
    expect((await exports().get(ctx))?.state).toBe('working');
  });

  test('T24 nobody downloads the export of another, and a deleted account gets none', async () => {
    await mirela.api.accountExport.request();
    const tobi = await h.person('tobi');
    await h.drainJobs();
    expect(await codeOf(exports().download(await ctxOf(h, tobi.secret)))).toBe('NOT_FOUND');
    const ctx = await ctxOf(h, tobi.secret);
    await exports().request(ctx);
    await h.db.sql("UPDATE users SET status = 'deleted' WHERE username = 'tobi'");
    await h.drainJobs();
    expect(await h.db.sql('SELECT state FROM data_exports WHERE user_id = ?', [tobi.id])).toEqual([
      { state: 'working' },
    ]);
  });

  test('an export that the job gives up on can be asked for again', async () => {
    await mirela.api.accountExport.request();
    const [row] = await h.db.sql<{ id: string }>('SELECT id FROM data_exports');
    await exports().jobs[EXPORT_JOB]?.dead({ userId: mirela.id, id: row?.id });
    expect((await mirela.api.accountExport.get()).export?.state).toBe('failed');
    await mirela.api.accountExport.request();
    await h.drainJobs();
    expect((await mirela.api.accountExport.get()).export?.state).toBe('ready');
  });

  test('T29 what a player wrote is no formula in the CSV', async () => {
    await mirela.api.account.update({ body: { first_name: '=1+1', last_name: 'V', locale: 'en' } });
    await mirela.api.accountExport.request();
    await h.drainJobs();
    const files = unzip((await exports().download(await ctxOf(h, mirela.secret))).bytes);
    expect(files.get('csv/account.csv')).toContain("'=1+1");
  });
});

test('an archive holds names and texts of any writing, and none at all', async () => {
  const files = unzip(await zipFiles([{ name: 'json/ă.json', text: '“ж”\n' }], TEST_START));
  expect([...files]).toEqual([['json/ă.json', '“ж”\n']]);
  expect([...unzip(await zipFiles([], TEST_START))]).toEqual([]);
});
