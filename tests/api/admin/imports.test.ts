import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeImporter, importsFolder } from '#server/compose/imports.ts';
import { uploadPath } from '#server/imports/files.ts';
import { lockOf, createProgress } from '#server/imports/progress.ts';
import { createImportWorker } from '#server/imports/worker.ts';
import { createUndo, newImportWork, type ImportOutcome, type ImportWorker } from '#server/modules/imports/index.ts';
import { createOwnCommands } from '#server/own-commands.ts';
import { lockFolder } from '#server/start/folder-lock.ts';
import { UPLOAD_PART_BYTES } from '#shared/backups.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

setDefaultTimeout(300_000);

/** Imports by the page: what they do to the database is tested in tests/imports. */
let h: Harness;
let owner: Person;
/** What the process was asked to do, in order, and what it says next; waits while `hold` is set. */
let asked: unknown[];
let answer: ImportOutcome | null;
let hold: PromiseWithResolvers<void> | null;

const DUMP =
  "CREATE TABLE `users` (\n  `id` int,\n  `username` text,\n  `email` text,\n  `name_first` text,\n  `store_balance` int\n);\nINSERT INTO `users` VALUES (1,'ann','ann@old.example','A',7),(2,'bob','nowhere','B',3);";
const CHOICES = {
  product: 'jexactyl',
  instance: 'main',
  factor: 1,
  email: 'skip',
  names: 'rename',
  settings: false,
  currency: 'EUR',
  zone: '+00:00',
  panel: null,
} as const;
const UPLOAD = '01890000-0000-7000-8000-000000000001';

const importer = () =>
  composeImporter(h.host.services, h.dataDir, { onStep: () => undefined, isStopped: () => false, isAudited: true });
/** The real engine, in this process. */
const worker: ImportWorker = {
  async check(what, onStep) {
    asked.push(what);
    onStep('user', 1);
    await hold?.promise;
    if (answer || !('upload' in what.place)) return answer ?? { fault: 'connection', message: '' };
    const { upload } = what.place;
    const from = { path: uploadPath(importsFolder(h.dataDir), upload) };
    const { zone: _zone, ...choices } = what.choices;
    const { id } = await importer().check({ ...choices, zoneMinutes: 90, from, upload } as never, null, what.by);
    return { done: id };
  },
  async apply(id, key) {
    asked.push(['apply', id, key]);
    await hold?.promise;
    if (answer) return answer;
    await importer().apply(id, null);
    return { done: id };
  },
  async undo(id) {
    asked.push(['undo', id]);
    await createUndo({ ...h.host.services, traceOf: (text) => text, isAudited: true }).undo(null, id);
    return { done: id };
  },
  stop: () => undefined,
};

beforeEach(async () => {
  [asked, answer, hold] = [[], null, null];
  h = await openHarness({ imports: { worker, work: newImportWork() } });
  owner = await h.person('olga', { permissions: ['admin.root'] });
});
afterEach(() => h.close());

const api = () => owner.api.adminImports;
const refusal = async (call: Promise<unknown>) => (await call.catch((error: { code?: string }) => error)) as object;
async function waitForEnd(): Promise<void> {
  while ((await api().list({})).running !== null) await new Promise((next) => setImmediate(next));
}
const upload = (body: string, upload = UPLOAD) =>
  api().upload({ params: { upload }, query: { part: '0', parts: '1' }, body: new TextEncoder().encode(body) });
/** Uploads the dump and has it checked. Out: the run. */
async function checked(): Promise<string> {
  await upload(DUMP);
  await api().check({ body: { ...CHOICES, upload: UPLOAD } });
  await waitForEnd();
  return (await api().list({})).runs[0]?.id ?? '';
}

describe('an import by the page', () => {
  test('a dump is uploaded, checked, brought over and undone, each step on its page', async () => {
    const id = await checked();
    expect(await api().list({})).toMatchObject({
      running: null,
      last: { task: 'check', run_id: id, fault: null },
      runs: [{ id, product: 'jexactyl', state: 'checked', users: 1 }],
    });
    const found = await api().get({ params: { id } });
    expect(found).toMatchObject({
      upload: UPLOAD,
      kept: true,
      from: 'file',
      choices: { ...CHOICES, zone: '+01:30' },
      summary: { credits: { found: '10.0000', coming: '7.0000', left: '3.0000' } },
    });
    expect(await h.db.sql("SELECT id FROM users WHERE username = 'ann'")).toEqual([]);
    await api().apply({ params: { id }, body: {} });
    await waitForEnd();
    expect((await api().get({ params: { id } })).run).toMatchObject({ state: 'done', users: 1 });
    expect(await h.db.sql("SELECT email FROM users WHERE username = 'ann'")).toEqual([{ email: 'ann@old.example' }]);
    // The dump held passwords and addresses.
    expect(existsSync(uploadPath(importsFolder(h.dataDir), UPLOAD))).toBe(false);
    await api().undo({ params: { id } });
    await waitForEnd();
    expect((await api().get({ params: { id } })).run.state).toBe('undone');
    expect(await h.db.sql("SELECT id FROM users WHERE username = 'ann'")).toEqual([]);
    const audited = await h.db.sql<{ action: string; actor_id: string }>(
      "SELECT action, actor_id FROM audit WHERE action LIKE 'imports.%' ORDER BY id",
    );
    expect(audited.map(({ action }) => action)).toEqual(
      ['upload', 'check', 'apply', 'undo'].map((what) => `imports.${what}`),
    );
    expect(new Set(audited.map(({ actor_id }) => actor_id))).toEqual(new Set([owner.id]));
  });

  describe('an import with roles of staff', () => {
    /** A dump of CtrlPanel with an admin, a moderator of its own making and a player. */
    const ROLES = [
      'CREATE TABLE `users` (\n  `id` bigint,\n  `name` text,\n  `email` text,\n  `credits` bigint,\n  `pterodactyl_id` text\n);',
      'CREATE TABLE `shop_products` (\n  `id` int\n);',
      'CREATE TABLE `vouchers` (\n  `id` int\n);',
      'CREATE TABLE `settings` (\n  `payload` text\n);',
      'CREATE TABLE `roles` (\n  `id` int,\n  `name` text,\n  `power` int\n);',
      'CREATE TABLE `permissions` (\n  `id` int,\n  `name` text\n);',
      'CREATE TABLE `role_has_permissions` (\n  `permission_id` int,\n  `role_id` int\n);',
      'CREATE TABLE `model_has_roles` (\n  `role_id` int,\n  `model_type` text,\n  `model_id` int\n);',
      "INSERT INTO `users` VALUES (1,'boss','boss@old.example',0,NULL),(2,'mod','mod@old.example',0,NULL),(3,'pat','pat@old.example',0,NULL);",
      "INSERT INTO `roles` VALUES (1,'Admin',100),(4,'User',10),(9,'Moderator',40);",
      "INSERT INTO `permissions` VALUES (1,'*'),(2,'admin.users.read'),(3,'admin.users.suspend'),(4,'user.shop.buy'),(5,'admin.tickets.write');",
      'INSERT INTO `role_has_permissions` VALUES (1,1),(2,9),(3,9),(4,9),(5,9),(4,4);',
      "INSERT INTO `model_has_roles` VALUES (1,'App\\\\Models\\\\User',1),(4,'App\\\\Models\\\\User',2),(9,'App\\\\Models\\\\User',2),(4,'App\\\\Models\\\\User',3);",
    ].join('\n');
    const RIGHTS = ['admin.dashboard.view', 'admin.tickets.list', 'admin.tickets.view', 'admin.users.list'];
    async function checkedRoles(): Promise<string> {
      await upload(ROLES);
      await api().check({ body: { ...CHOICES, product: 'ctrlpanel', upload: UPLOAD } });
      await waitForEnd();
      return (await api().list({})).runs[0]?.id ?? '';
    }
    const rolesOf = async () =>
      Object.fromEntries(
        (
          await h.db.sql<{ username: string; name: string }>(
            "SELECT u.username, r.name FROM users u JOIN roles r ON r.id = u.role_id WHERE u.username IN ('boss', 'mod', 'pat')",
          )
        ).map(({ username, name }) => [username, name]),
      );
    const bring = async (id: string, roles: { name: string; to: string }[]) => {
      await api().apply({ params: { id }, body: { roles } });
      await waitForEnd();
    };

    test('roles are proposed with the nearest permissions, and an owner decides about each before anybody gets it', async () => {
      const id = await checkedRoles();
      const { roles, targets, decided } = await api().get({ params: { id } });
      const admin = targets.find(({ name }) => name === 'Admin');
      expect(decided).toBeNull();
      expect(targets.map(({ name }) => name)).not.toContain('Owner');
      expect(roles.find(({ name }) => name === 'Admin')).toMatchObject({ users: 1, to: admin?.id });
      const moderator = roles.find(({ name }) => name === 'Moderator');
      expect(moderator).toMatchObject({ users: 1, to: 'new', unmatched: 1 });
      expect(moderator?.permissions.toSorted()).toEqual(RIGHTS);
      expect(roles.map(({ name }) => name)).not.toContain('User');
      await bring(id, [{ name: 'Moderator', to: 'new' }]);
      expect(await rolesOf()).toEqual({ boss: 'Member', mod: 'Moderator', pat: 'Member' });
      expect((await api().get({ params: { id } })).decided).toEqual([{ name: 'Moderator', role: 'Moderator' }]);
      const given = await h.db.sql<{ permission: string }>(
        "SELECT permission FROM role_permissions p JOIN roles r ON r.id = p.role_id WHERE r.name = 'Moderator' ORDER BY permission",
      );
      expect(given.map(({ permission }) => permission)).toEqual(RIGHTS);
    });

    test('T46 nobody gets a role that is not named, an owner’s, or one that is not here', async () => {
      const id = await checkedRoles();
      const owners = (await h.db.sql<{ id: string }>("SELECT id FROM roles WHERE key = 'owner'"))[0]?.id ?? '';
      for (const roles of [
        [{ name: 'Moderator', to: owners }],
        [{ name: 'Moderator', to: 'no-such-role' }],
        [{ name: 'Nobody', to: 'new' }],
      ])
        expect(await refusal(api().apply({ params: { id }, body: { roles } }))).toMatchObject({
          code: 'VALIDATION_FAILED',
          fields: { roles: ['UNKNOWN'] },
        });
      expect((await api().get({ params: { id } })).decided).toBeNull();
      await bring(id, []);
      expect(await rolesOf()).toEqual({ boss: 'Member', mod: 'Member', pat: 'Member' });
    });

    test('roles are decided once: going on with an import gives nobody another one', async () => {
      const id = await checkedRoles();
      answer = { fault: 'stopped', message: '' };
      await bring(id, [{ name: 'Moderator', to: 'new' }]);
      answer = null;
      const admin = (await api().get({ params: { id } })).targets.find(({ name }) => name === 'Admin');
      await bring(id, [{ name: 'Moderator', to: admin?.id ?? '' }]);
      expect(await rolesOf()).toMatchObject({ boss: 'Member', mod: 'Moderator' });
    });

    test('a role that an import made goes with its undo, unless somebody has it', async () => {
      const names = async () =>
        (await h.db.sql<{ name: string }>("SELECT name FROM roles WHERE name = 'Moderator'")).length;
      const first = await checkedRoles();
      await bring(first, [{ name: 'Moderator', to: 'new' }]);
      await api().undo({ params: { id: first } });
      await waitForEnd();
      expect(await names()).toBe(0);
      const second = await checkedRoles();
      await bring(second, [{ name: 'Moderator', to: 'new' }]);
      await h.db.sql("UPDATE users SET role_id = (SELECT id FROM roles WHERE name = 'Moderator') WHERE id = ?", [
        owner.id,
      ]);
      await h.db.sql(
        "UPDATE role_permissions SET permission = 'admin.root' WHERE role_id = (SELECT id FROM roles WHERE name = 'Moderator') AND permission = 'admin.users.list'",
      );
      await createUndo({ ...h.host.services, traceOf: (text) => text, isAudited: true }).undo(null, second);
      expect(await names()).toBe(1);
      expect(await h.db.sql('SELECT state, fault FROM import_runs WHERE id = ?', [second])).toEqual([
        { state: 'undone', fault: 'some_stayed' },
      ]);
    });

    test('a new role whose name is taken meanwhile is refused, and nothing is brought', async () => {
      const id = await checkedRoles();
      await h.db.sql("UPDATE roles SET name = 'moderator' WHERE key = 'vip'");
      expect(
        await refusal(api().apply({ params: { id }, body: { roles: [{ name: 'Moderator', to: 'new' }] } })),
      ).toMatchObject({ fields: { roles: ['NAME_TAKEN'] } });
      expect(await rolesOf()).toEqual({});
    });
  });

  test('what is said of rows is read page by page and as CSV, and names are no formulas there', async () => {
    const rows = Array.from({ length: 120 }, (_, i) => `(${i + 10},'=bad${i}','nowhere','B',1)`);
    await upload(`${DUMP}\nINSERT INTO \`users\` VALUES ${rows.join()};`);
    await api().check({ body: { ...CHOICES, upload: UPLOAD } });
    await waitForEnd();
    const id = (await api().list({})).runs[0]?.id ?? '';
    const query = { kind: 'user', reason: 'email_invalid' } as const;
    const first = await api().notes({ params: { id }, query });
    expect(first.notes).toHaveLength(50);
    const second = await api().notes({ params: { id }, query: { ...query, after: String(first.next) } });
    const third = await api().notes({ params: { id }, query: { ...query, after: String(second.next) } });
    expect([second.notes.length, third.notes.length, third.next]).toEqual([50, 21, null]);
    expect((await api().notes({ params: { id }, query: { reason: 'merged' } })).notes).toEqual([]);
    const csv = await h.http(`/api/admin/imports/${id}/report.csv`, {
      headers: { cookie: `${SESSION_COOKIE}=${owner.secret}` },
    });
    const text = await csv.text();
    expect(text.split('\r\n')).toHaveLength(124);
    expect(text).toContain("user,10,'=bad0,email_invalid");
  });

  test('one thing is done at a time, and how it ended is shown', async () => {
    const id = await checked();
    hold = Promise.withResolvers();
    await api().apply({ params: { id }, body: { key: 'secret' } });
    expect((await api().list({})).running).toMatchObject({ task: 'apply', run_id: id });
    expect(asked.at(-1)).toEqual(['apply', id, 'secret']);
    expect(await refusal(api().apply({ params: { id }, body: {} }))).toMatchObject({ code: 'IMPORT_BUSY' });
    expect(await refusal(api().check({ body: { ...CHOICES, upload: UPLOAD } }))).toMatchObject({ code: 'IMPORT_BUSY' });
    answer = { fault: 'disk_full', message: 'no room' };
    hold.resolve();
    await waitForEnd();
    expect((await api().list({})).last).toMatchObject({ task: 'apply', run_id: id, fault: 'disk_full' });
    expect(h.errors).toEqual([]);
    answer = null;
    const both = await Promise.allSettled([
      api().apply({ params: { id }, body: {} }),
      api().apply({ params: { id }, body: {} }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await waitForEnd();
    expect(
      await h.db.sql(
        "SELECT CAST(-SUM(balance) AS BIGINT) AS n FROM ledger_balances WHERE account = 'system:import' HAVING COUNT(*) > 0",
      ),
    ).toEqual([{ n: 7 }]);
  });

  test('what another process does is shown, nothing else is begun meanwhile, and one that was killed stands in nobody’s way', async () => {
    const id = await checked();
    const folder = importsFolder(h.dataDir);
    const unlock = lockFolder(lockOf(folder), { pid: process.pid, address: 'spawnpoint import', since: 'now' });
    const progress = createProgress(folder, { task: 'apply', runId: id, sinceMs: h.clock.now() });
    progress.report('user', 400);
    expect((await api().list({})).running).toMatchObject({ task: 'apply', run_id: id, step: 'user', done: 400 });
    expect((await api().get({ params: { id } })).is_running).toBe(true);
    expect(await refusal(api().apply({ params: { id }, body: {} }))).toMatchObject({ code: 'IMPORT_BUSY' });
    expect(await refusal(api().remove({ params: { id } }))).toMatchObject({ code: 'CONFLICT' });
    // Killed: the file is still there, the lock is not.
    unlock();
    expect((await api().list({})).running).toBeNull();
    writeFileSync(join(folder, 'progress.json'), '{"task":');
    expect((await api().list({})).running).toBeNull();
    await api().apply({ params: { id }, body: {} });
    await waitForEnd();
    expect((await api().get({ params: { id } })).run.state).toBe('done');
  });

  test('T49 uploading, checking, bringing and taking back need a proof of a moment ago', async () => {
    const id = await checked();
    h.clock.advance(16 * MINUTE);
    for (const call of [
      () => upload('x', '01890000-0000-7000-8000-000000000002'),
      () => api().check({ body: { ...CHOICES, upload: UPLOAD } }),
      () => api().apply({ params: { id }, body: {} }),
    ])
      expect(await refusal(call())).toMatchObject({ code: 'TRUST_REQUIRED' });
    expect(asked).toHaveLength(1);
  });

  test('a connection goes to the process by its parts, and what is missing of it is said at its field', async () => {
    const place = { host: 'db.old.example', port: 3306, database: 'panel', username: 'reader', password: 'secret' };
    await api().check({ body: { ...CHOICES, ...place, encrypted: true } });
    await waitForEnd();
    expect(asked).toEqual([{ choices: CHOICES, place: { ...place, encrypted: true }, by: owner.id }]);
    expect((await api().list({})).last).toMatchObject({ task: 'check', run_id: null, fault: 'connection' });
    for (const [field, body] of [
      ['host', { host: undefined }],
      ['database', { database: undefined }],
      ['username', { username: undefined }],
      ['upload', { product: 'heliactyl' as const }],
    ] as const)
      expect(await refusal(api().check({ body: { ...CHOICES, ...place, ...body } }))).toMatchObject({
        code: 'VALIDATION_FAILED',
        fields: { [field]: ['REQUIRED'] },
      });
    expect(await refusal(api().check({ body: { ...CHOICES, upload: UPLOAD } }))).toMatchObject({
      fields: { upload: ['REQUIRED'] },
    });
  });

  test('T46 T52 parts that are missing, too large or of another shape are not taken, and no name leads elsewhere', async () => {
    const send = (part: string, parts: string, bytes: number) =>
      api().upload({ params: { upload: UPLOAD }, query: { part, parts }, body: new Uint8Array(bytes) });
    expect(await refusal(send('1', '2', 5))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(send('0', '2', 5))).toMatchObject({ fields: { file: ['INVALID'] } });
    expect(await refusal(send('0', '131072', UPLOAD_PART_BYTES))).toMatchObject({ fields: { file: ['NO_ROOM'] } });
    expect(await refusal(upload('x', '../../../../etc/passwd'))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(api().get({ params: { id: UPLOAD } }))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a check is discarded with its file, and files that nobody comes back for go after a week', async () => {
    const id = await checked();
    await api().remove({ params: { id } });
    expect((await api().list({})).runs).toEqual([]);
    expect(existsSync(uploadPath(importsFolder(h.dataDir), UPLOAD))).toBe(false);
    const second = await checked();
    writeFileSync(uploadPath(importsFolder(h.dataDir), 'x'), 'old');
    // By the file's own time, which the clock of the test does not set.
    h.clock.advance(3650 * DAY);
    await h.host.services.imports.clean();
    owner = await h.person('otto', { permissions: ['admin.root'] });
    expect(await api().get({ params: { id: second } })).toMatchObject({ kept: false, upload: null });
    expect(await refusal(api().notes({ params: { id: second }, query: {} }))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(api().apply({ params: { id: second }, body: {} }))).toMatchObject({ code: 'CONFLICT' });
  });

  test('an import that somebody who came has used is not undone, and nothing of it is', async () => {
    const id = await checked();
    await api().apply({ params: { id }, body: {} });
    await waitForEnd();
    expect(await refusal(api().remove({ params: { id } }))).toMatchObject({ code: 'CONFLICT' });
    await h.db.sql("UPDATE users SET seen_ms = 5 WHERE username = 'ann'");
    // The stand-in rejects where the real process says so; either way it is over.
    const undo = createUndo({ ...h.host.services, traceOf: (text) => text }).undo(null, id);
    expect(await refusal(undo)).toMatchObject({ code: 'CONFLICT' });
    expect(await h.db.sql("SELECT username FROM users WHERE username = 'ann'")).toEqual([{ username: 'ann' }]);
  });
});

test('a real process checks, brings and undoes, hides what is secret, and says in its words what is wrong', async () => {
  const command = [process.execPath, join(import.meta.dir, '../../../server/main.ts')];
  const env = { PATH: process.env.PATH, DATA_DIR: join(h.dataDir, 'real') };
  expect(Bun.spawnSync([...command, 'migrate'], { env }).exitCode).toBe(0);
  const real = createImportWorker(createOwnCommands({ command, env }));
  const folder = importsFolder(env.DATA_DIR);
  const by = owner.id;
  const place = { upload: UPLOAD };
  expect(await real.check({ choices: CHOICES, place, by }, () => undefined)).toMatchObject({ fault: 'not_readable' });
  const at = await import('node:fs');
  at.mkdirSync(folder, { recursive: true });
  writeFileSync(uploadPath(folder, UPLOAD), DUMP);
  const steps: string[] = [];
  const found = await real.check({ choices: CHOICES, place, by }, (step) => void steps.push(step));
  const id = 'done' in found ? found.done : '';
  expect(steps.length).toBeGreaterThan(0);
  expect(await real.apply(id, undefined, () => undefined)).toEqual({ done: id });
  expect(existsSync(uploadPath(folder, UPLOAD))).toBe(false);
  expect(await real.undo(id, () => undefined)).toEqual({ done: id });
  // This machine's own network is for those who sit at it, unless the setting lets everybody in.
  const connection = { host: '127.0.0.1', port: 1, database: 'x', username: 'u', password: 'p', encrypted: false };
  const near = { choices: CHOICES, place: connection, by, key: 'k' };
  expect(await real.check(near, () => undefined)).toMatchObject({ fault: 'address' });
  expect(Bun.spawnSync([...command, 'settings', 'set', 'outbound_private_networks', 'true'], { env }).exitCode).toBe(0);
  expect(await real.check(near, () => undefined)).toMatchObject({ fault: 'connection' });
}, 300_000);
