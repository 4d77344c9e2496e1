import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeImporter, importsFolder } from '#server/compose/imports.ts';
import { uploadPath } from '#server/imports/files.ts';
import { createImportWorker } from '#server/imports/worker.ts';
import { createUndo, newImportWork, type ImportOutcome, type ImportWorker } from '#server/modules/imports/index.ts';
import { createOwnCommands } from '#server/own-commands.ts';
import { UPLOAD_PART_BYTES } from '#shared/backups.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

setDefaultTimeout(60_000);

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
  staff: false,
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
    expect(await h.db.sql("SELECT -balance AS n FROM ledger_balances WHERE account = 'system:import'")).toEqual([
      { n: 7 },
    ]);
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
