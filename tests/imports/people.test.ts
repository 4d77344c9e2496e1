import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportOptions } from '#server/imports/engine.ts';
import { reportCsv } from '#server/imports/report.ts';
import { createUndo } from '#server/modules/imports/index.ts';
import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { roomyFolder } from '#tests/support/folder.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { importerOf, importOptions, writeCtrlPanelDump, type CtrlPanelUser } from '#tests/support/imports/runs.ts';

let h: Harness;
let folder: string;

const importer = () => importerOf(h);
const dumpOf = (users: readonly CtrlPanelUser[], more: readonly string[] = []) =>
  writeCtrlPanelDump(folder, users, more);
const optionsOf = (path: string, over: Partial<ImportOptions> = {}) => importOptions('ctrlpanel', { path }, over);
async function bring(path: string, over: Partial<ImportOptions> = {}, staff = false) {
  const { check, apply } = importer();
  const { id, summary } = await check(optionsOf(path, over), null, null);
  const done = await apply(id, null, { staff });
  return { id, checked: summary, done, reasons: Object.fromEntries(done.notes.map(({ reason, n }) => [reason, n])) };
}
const names = async () =>
  (await h.db.sql<{ username: string }>('SELECT username FROM users ORDER BY username')).map((row) => row.username);
const idOf = async (username: string) =>
  (await h.db.sql<{ id: string }>('SELECT id FROM users WHERE username = ?', [username]))[0]?.id ?? '';

describe.each(ENGINES)('coming over on %s', (engine) => {
  beforeEach(async () => {
    h = await openHarness({ engine });
    folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-import-'));
  });
  afterEach(async () => {
    await h.close();
    rmSync(folder, { recursive: true });
  });

  describe('people who come over', () => {
    test('T53 dirty rows never stop a run: each is counted with its reason, and every credit is found', async () => {
      const { done, checked, reasons } = await bring(
        dumpOf(
          [
            ['1', 'ann', 'ann@old.example', 10_000],
            ['1', 'ann again', 'again@old.example', 10_000],
            ['2', 'ANN', 'ann2@old.example', 2_500],
            ['3', 'cat', 'ANN@old.example', 3_000],
            ['4', 'dan', 'nowhere', 4_000],
            ['5', 'eve', '', 5_000],
            ['6', 'fay', 'fay@old.example', -6_000],
            ['7', 'gil', 'gil@old.example', 'NULL'],
            ['8', 'hal', 'hal@old.example', '9999999999999999'],
            ['9', 'Zoë <b>\\"', 'zoe@old.example', 1_999],
            ['10', '小', 'xiao@old.example', 0],
          ],
          [
            "INSERT INTO `users` VALUES (11,'too','few');",
            'INSERT INTO `users` VALUES (NULL,NULL,NULL,NULL,NULL,NULL);',
          ],
        ),
      );
      expect(reasons).toMatchObject({
        id_twice: 1,
        email_twice: 1,
        email_invalid: 1,
        email_missing: 1,
        negative: 1,
        credits_unreadable: 1,
        credits_too_large: 1,
        row_invalid: 1,
        no_password: 6,
      });
      expect(done.read).toMatchObject({ broken: 1 });
      expect(await names()).toEqual(['ANN-2', 'Zoe-b', 'ann', 'fay', 'gil', 'user-10']);
      expect(checked.credits).toMatchObject({
        coming: '13.0000',
        cut: '1.4990',
        negative: '-6.0000',
        left: '10000000000011.9990',
      });
      expect(await h.balance(await idOf('ann'))).toBe(10);
    });

    test('T53 empty dates, Windows-1252 and rows whose owner is missing stop nothing, and each is counted', async () => {
      const path = join(folder, 'dirty.sql');
      const lines = [
        'CREATE TABLE `users` (\n  `id` int,\n  `username` text,\n  `email` text,\n  `name_first` text,\n  `store_balance` int,\n  `created_at` text\n);',
        "INSERT INTO `users` VALUES (1,'ann','ann@old.example','Jürgen',7,'0000-00-00 00:00:00'),(2,'bob','bob@old.example','Bob',0,'2023-01-02 03:04:05');",
        'CREATE TABLE `tickets` (\n  `id` int,\n  `client_id` int,\n  `title` text,\n  `status` text,\n  `content` text,\n  `created_at` text\n);',
        "INSERT INTO `tickets` VALUES (1,1,'Größe','resolved','Text','0000-00-00 00:00:00'),(2,77,'Lost','resolved','Text',NULL);",
      ];
      writeFileSync(path, Buffer.from(lines.join('\n'), 'latin1'));
      const { done, reasons } = await bring(path, { product: 'jexactyl' });
      expect(reasons).toEqual({ owner_missing: 1, no_password: 2 });
      expect(done.read).toEqual({ tables: { users: 2, tickets: 2 }, broken: 0, latin1: 2, mended: 0 });
      expect(await h.balance(await idOf('ann'))).toBe(7);
      // Who has no day of their own came today.
      expect(await h.db.sql('SELECT username, first_name, created_ms FROM users ORDER BY username')).toEqual([
        { username: 'ann', first_name: 'Jürgen', created_ms: h.clock.now() },
        { username: 'bob', first_name: 'Bob', created_ms: Date.parse('2023-01-02T03:04:05Z') },
      ]);
      expect(await h.db.sql('SELECT subject, created_ms FROM tickets')).toEqual([
        { subject: 'Größe', created_ms: h.clock.now() },
      ]);
    });

    test('who has the address of somebody here is left out, or brings the credits to them where both have proven it', async () => {
      const ann = await h.person('ann', { credits: 5 });
      const bob = await h.person('bob');
      await h.db.sql('UPDATE users SET verified_ms = NULL WHERE id = ?', [bob.id]);
      const path = dumpOf([
        ['1', 'annie', 'ANN@example.com', 10_000, true],
        ['2', 'bobby', 'bob@example.com', 10_000, true],
      ]);
      expect((await bring(path)).reasons).toMatchObject({ email_taken: 2 });
      expect(await h.balance(ann.id)).toBe(5);
      const { reasons } = await bring(path, { email: 'merge' });
      expect(reasons).toMatchObject({ merged: 1, email_taken: 1 });
      expect([await h.balance(ann.id), await h.balance(bob.id)]).toEqual([15, 0]);
      expect(await names()).toEqual(['ann', 'bob']);
    });

    test('who has somebody’s name gets another one, or is left out', async () => {
      await h.person('ann');
      const path = dumpOf([
        ['1', 'Ann', 'one@old.example', 0],
        ['2', 'ann-2', 'two@old.example', 0],
      ]);
      expect((await bring(path, { names: 'skip', instance: 'a' })).reasons).toMatchObject({ name_taken: 1 });
      await bring(path, { instance: 'b' });
      expect(await names()).toEqual(['Ann-3', 'ann', 'ann-2']);
    });

    test('T46 users get roles of staff only where somebody says so, and nobody becomes an owner', async () => {
      const more = [
        "INSERT INTO `roles` VALUES (1,'Admin'),(2,'Owner');",
        "INSERT INTO `model_has_roles` VALUES (1,'App\\\\Models\\\\User',1),(2,'App\\\\Models\\\\User',2);",
      ];
      const path = dumpOf(
        [
          ['1', 'boss', 'boss@old.example', 0],
          ['2', 'king', 'king@old.example', 0],
        ],
        more,
      );
      const roleOf = async (name: string) =>
        (
          await h.db.sql<{ key: string }>(
            'SELECT r.key FROM users u JOIN roles r ON r.id = u.role_id WHERE u.username = ?',
            [name],
          )
        )[0]?.key;
      const { checked } = await bring(path);
      expect(checked.roles.map(({ name, users, toName }) => ({ name, users, toName }))).toEqual([
        { name: 'Admin', users: 1, toName: 'Admin' },
      ]);
      expect([await roleOf('boss'), await roleOf('king')]).toEqual(['member', 'member']);
      const other = dumpOf(
        [
          ['1', 'boss2', 'boss2@old.example', 0],
          ['2', 'king2', 'king2@old.example', 0],
        ],
        more,
      );
      await bring(other, { instance: 'b' }, true);
      expect([await roleOf('boss2'), await roleOf('king2')]).toEqual(['admin', 'member']);
    });

    test('a code has what is left of its uses, and who has used it cannot use it again', async () => {
      await bring(
        dumpOf(
          [
            ['1', 'ann', 'ann@old.example', 0],
            ['2', 'bob', 'bob@old.example', 0],
          ],
          ["INSERT INTO `vouchers` VALUES (1,'WELCOME-1',7000,2);", 'INSERT INTO `user_voucher` VALUES (1,1),(1,1);'],
        ),
      );
      const [code] = await h.db.sql<{ uses_total: number; uses_count: number; credits: number }>(
        'SELECT * FROM redeem_codes',
      );
      expect(code).toMatchObject({ uses_total: 2, uses_count: 1, credits: 7 });
      const cat = await h.person('cat');
      await h.db.sql('INSERT INTO imported_code_uses (code_id, user_id) SELECT id, ? FROM redeem_codes', [cat.id]);
      expect(await codeOf(cat.api.redeem.redeem({ body: { code: 'welcome 1' } }))).toBe('CODE_ALREADY_USED');
    });

    test('nobody is written to, paid or greeted because they came', async () => {
      await bring(dumpOf([['1', 'ann', 'ann@old.example', 10_000, true]]));
      await h.drainJobs();
      for (const table of ['mails', 'notifications', 'referrals', 'early_supporters', 'held_rewards'])
        expect([table, await h.db.sql(`SELECT * FROM ${table}`)]).toEqual([table, []]);
      expect(
        (await h.db.sql<{ kind: string }>('SELECT kind FROM ledger_transactions')).map(({ kind }) => kind),
      ).toEqual(['import']);
    });

    /** Names but of those whose postings alone are left. */
    const named = async () => (await names()).filter((name) => !name.startsWith('deleted-'));
    const undo = (id: string) =>
      createUndo({ ...h.host.services, traceOf: (text) => text })
        .undo(null, id)
        .then(
          () => 'undone',
          (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
        );

    test('a run is not undone while a later one has brought more to its users, and both are, the later one first', async () => {
      const first = await bring(dumpOf([['1', 'ann', 'ann@old.example', 5000, true]]));
      const more = dumpOf([['7', 'annie', 'ann@old.example', 2000, true]]);
      const second = await bring(more, { instance: 'b', email: 'merge' });
      const ann = await idOf('ann');
      expect(await h.balance(ann)).toBe(7);
      expect(await undo(first.id)).toBe('CONFLICT');
      expect(await h.balance(ann)).toBe(7);
      expect([await undo(second.id), await h.balance(ann)]).toEqual(['undone', 5]);
      expect([await undo(first.id), await named()]).toEqual(['undone', []]);
      expect(await h.db.uow.read((tx) => tx.ledger.verify())).toEqual([]);
    });

    test('where somebody who was here before has spent what came to them, nothing of the run is undone', async () => {
      const ann = await h.person('ann', { credits: 5 });
      const users = [
        ['1', 'annie', 'ann@example.com', 10_000, true],
        ['2', 'bob', 'bob@old.example', 4000, true],
      ] as const;
      const { id } = await bring(dumpOf(users), { email: 'merge' });
      await h.db.uow.run((tx) =>
        h.host.services.ledger.transfer(tx, {
          kind: 'store.buy',
          reference: 'spent',
          postings: [{ source: `user:${ann.id}`, destination: 'system:store', amount: toCredits(8) }],
        }),
      );
      expect(await undo(id)).toBe('INSUFFICIENT_CREDITS');
      expect([await h.balance(ann.id), await h.balance(await idOf('bob'))]).toEqual([7, 4]);
      await h.db.uow.run((tx) =>
        h.host.services.ledger.transfer(tx, {
          kind: 'reward.afk',
          reference: 'earned',
          postings: [{ source: 'system:reward.afk', destination: `user:${ann.id}`, amount: toCredits(3) }],
        }),
      );
      expect([await undo(id), await h.balance(ann.id), await named()]).toEqual(['undone', 0, ['ann']]);
      expect(await undo(id)).toBe('undone');
      expect(await h.balance(ann.id)).toBe(0);
      expect(await h.db.uow.read((tx) => tx.ledger.verify())).toEqual([]);
    });

    test('who has deleted their account since gets nothing more by a second dump, the rest of which comes', async () => {
      const users = [
        ['1', 'ann', 'ann@old.example', 5000],
        ['2', 'bob', 'bob@old.example', 5000],
      ] as const;
      await bring(dumpOf(users));
      const ann = await idOf('ann');
      const name = { username: 'deleted-ann', email: 'ann@deleted.invalid' };
      await h.db.uow.run(async (tx) => {
        const { id: roleId } = await tx.access.defaultRole();
        await tx.identity.setStatus(ann, 'deleted', { reason: null, untilMs: null }, h.clock.now());
        await tx.deletions.erase(ann, { ...name, roleId }, h.clock.now());
      });
      const tickets = [
        'CREATE TABLE `tickets` (\n  `id` int,\n  `user_id` int,\n  `title` text,\n  `message` text,\n  `status` text\n);',
        "INSERT INTO `tickets` VALUES (1,1,'Hello there','Text','Open'),(2,2,'Hello again','Text','Open');",
      ];
      const { done: second } = await bring(dumpOf(users, tickets));
      expect(second.kinds.ticket).toMatchObject({ done: 1, left: 1 });
      expect(second.notes).toContainEqual({ kind: 'ticket', reason: 'owner_missing', n: 1 });
      expect(await h.db.sql('SELECT subject FROM tickets')).toEqual([{ subject: 'Hello again' }]);
    });

    test('the report names each row as CSV, in which no spreadsheet finds a formula', async () => {
      const { id } = await importer().check(optionsOf(dumpOf([['1', '=cmd,"x"', 'nowhere', 0]])), null, null);
      const store = importer().openStore(id);
      expect([...reportCsv(store)]).toEqual(['kind,id,name,reason\r\n', 'user,1,"\'=cmd,""x""",email_invalid\r\n']);
      store.staging.close();
    });
  });

  describe('what is refused', () => {
    const faultOf = (options: ImportOptions) =>
      importer()
        .check(options, null, null)
        .then(
          () => 'read',
          (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
        );
    test('T54 another product, an older version, an update that was stopped half way, and what is no dump', async () => {
      const file = (content: string | Uint8Array) => {
        const path = join(folder, crypto.randomUUID());
        writeFileSync(path, content);
        return path;
      };
      expect(await faultOf(optionsOf(file('CREATE TABLE `wp_users` (\n  `id` int\n);')))).toBe('other_product');
      const old =
        'CREATE TABLE `users` (\n  `pterodactyl_id` int\n);CREATE TABLE `shop_products` (\n  `id` int\n);CREATE TABLE `vouchers` (\n  `id` int\n);CREATE TABLE `settings` (\n  `key` text\n);';
      expect(await faultOf(optionsOf(file(old)))).toBe('version');
      const mixed = old.replace('`key` text', '`payload` text') + 'CREATE TABLE `products` (\n  `price` bigint\n);';
      expect(await faultOf(optionsOf(file(mixed)))).toBe('version');
      const unreleased = mixed.replace('`pterodactyl_id` int', '`pterodactyl_id` int,\n  `credits` int unsigned');
      expect(await faultOf(optionsOf(file(unreleased.replace('`price` bigint', '`price` int'))))).toBe('version');
      expect(await faultOf(optionsOf(file("INSERT INTO `users` VALUES (1,'")))).toBe('not_readable');
      expect(await faultOf(optionsOf(file(Uint8Array.of(0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9))))).toBe(
        'not_readable',
      );
      expect(await faultOf(optionsOf(file('no store'), { product: 'heliactyl' }))).toBe('not_readable');
    });

    test('T44 no database is asked where clouds keep keys, nor over the internet without encryption', async () => {
      for (const host of ['169.254.169.254', '[fe80::1]'])
        expect(await faultOf(optionsOf('', { from: { url: `mysql://u:p@${host}/d` } }))).toBe('address');
      expect(await faultOf(optionsOf('', { from: { url: 'mysql://u:p@8.8.8.8/d' } }))).toBe('address');
      expect(await faultOf(optionsOf('', { from: { url: 'http://127.0.0.1/d' } }))).toBe('address');
      expect(await faultOf(optionsOf('', { from: { url: 'mysql://u:p@127.0.0.1:1/d' } }))).toBe('connection');
    });
  });

  describe('an import from heliactyl', () => {
    test('T53 a store brings balances, limits and codes; names come from where it has them, and its clear passwords are never read', async () => {
      const path = join(folder, 'database.sqlite');
      const store = new Database(path, { create: true });
      store.run('CREATE TABLE keyv (key VARCHAR(255) PRIMARY KEY, value TEXT)');
      const hash = (await Bun.password.hash('old password', { algorithm: 'bcrypt', cost: 4 })).replace('$2b$', '$2y$');
      const put = (key: string, value: unknown) =>
        store.run('INSERT INTO keyv VALUES (?, ?)', [
          key,
          typeof value === 'string' && value.startsWith('!')
            ? value.slice(1)
            : JSON.stringify({ value, expires: null }),
        ]);
      put('users', [11, 12]);
      put('users-local-1', 11);
      put('userid-local-1', 'ann@old.example');
      put('user-ann@old.example', {
        id: 'local-1',
        username: 'ann',
        email: 'ann@old.example',
        password: hash,
        createdAt: '2023-01-01T00:00:00Z',
      });
      put('coins-local-1', 12.75);
      put('extra-local-1', { ram: 512, disk: 0, cpu: 0, servers: 1 });
      put('password-local-1', 'the clear password of the panel');
      put('users-123456789012345678', 12);
      put('discord-123456789012345678', { username: 'bob', email: 'bob@old.example', access_token: 'secret' });
      put('coins-123456789012345678', -3);
      // The same stakes as two editions keep them, one of them paid out.
      put('staked-local-1', '30.5');
      put('stakes-local-1', [
        { amount: 30, accruedRewards: 4, status: 'active' },
        { amount: 0.5, status: null },
        { amount: 500, status: 'claimed' },
        'rubbish',
      ]);
      put('users-nobody', 13);
      put('coins-nobody', 4);
      put('users-broken', '!not json');
      put('coupon-ABC123', { coins: 30 });
      store.close();
      const { reasons, id, done } = await bring(path, { product: 'heliactyl' });
      expect(reasons).toMatchObject({ email_missing: 1, negative: 1, row_invalid: 1, staked: 1 });
      expect(done.credits).toMatchObject({ found: '47.2500', coming: '43.0000', cut: '0.2500', left: '4.0000' });
      expect(await h.balance(await idOf('ann'))).toBe(43);
      await h.guest.auth.login({ body: { login: 'ann', password: 'old password' } });
      expect(await h.db.sql('SELECT subject, tokens FROM linked_identities')).toEqual([
        { subject: '123456789012345678', tokens: null },
      ]);
      const working = await Bun.file(join(h.dataDir, 'imports', `${id}.sqlite`)).text();
      expect(working.includes('clear password') || working.includes('secret') || working.includes(hash)).toBe(false);
    });
  });
});
