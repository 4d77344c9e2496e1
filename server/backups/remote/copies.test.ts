import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDefaults } from '#server/modules/settings/values.ts';
import { dataFolder } from '#tests/support/backups.ts';
import { openS3, S3_BUCKET, S3_KEYS, s3Settings, type S3StandIn } from '#tests/support/s3.ts';
import { backupPath, newBackupId } from '../folder.ts';
import { createCopies } from './copies.ts';

const NOW = Date.UTC(2026, 10, 23, 3);
const MB = 1 << 20;

let home: ReturnType<typeof dataFolder>;
let folder: string;
let s3: S3StandIn;
beforeEach(() => {
  home = dataFolder();
  folder = join(home.path, 'backups');
  mkdirSync(folder);
  s3 = openS3();
});
afterEach(async () => {
  await s3[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

/** Copies in the stand-in, with the right keys unless others are given. `timeoutMs`: short where it is to be silent. */
function copies(changes: Readonly<Record<string, string>> = {}, timeoutMs = 10_000) {
  const stored = { ...s3Settings(s3), backup_s3_region: 'eu-central-1', ...changes };
  const values = withDefaults(new Map(Object.entries(stored).map(([key, value]) => [key, JSON.stringify(value)])));
  return createCopies({
    settings: { current: () => values },
    fetch: (url, init) => fetch(url, init),
    folder,
    pausesMs: [1, 1],
    timeoutMs,
  });
}
/** A backup in the folder, of so many bytes. */
function put(bytes: number, kind: 'manual' | 'daily' = 'daily', atMs = NOW): string {
  const id = newBackupId(kind, atMs);
  writeFileSync(backupPath(folder, id), Buffer.alloc(bytes, id));
  return id;
}
const named = (id: string) => `lantern/${id}.age`;
/** Copies whose patience is short. */
const impatient = () => copies({}, 300);
const send = (id: string, by = copies()) => by.send(id, { nowMs: NOW });
const faultOf = async (work: Promise<unknown>) => (await work.catch((error: unknown) => error)) as { code?: string };

test('a backup is sent by parts, found in the list, and fetched back as it was', async () => {
  const id = put(17 * MB);
  put(10, 'manual', NOW - 1000);
  const shares: number[] = [];
  await copies().send(id, { nowMs: NOW, onBytes: (done, all) => void shares.push(done / all) });
  expect(shares.map((share) => share.toFixed(2))).toEqual(['0.47', '0.94', '1.00']);
  expect([s3.objects.get(named(id))?.length, s3.uploads.size]).toEqual([17 * MB, 0]);
  const before = readFileSync(backupPath(folder, id));
  // What others keep in the bucket is not ours, nor is what is not named as a backup.
  s3.objects.set(`other/${id}.age`, Buffer.from('x'));
  s3.objects.set('lantern/notes.age', Buffer.from('x'));
  s3.objects.set(`lantern/../${id}.age`, Buffer.from('x'));
  s3.objects.set(`lantern/deeper/${id}.age`, Buffer.from('x'));
  expect(await copies().list()).toEqual([{ id, kind: 'daily', atMs: NOW, bytes: 17 * MB }]);
  const other = dataFolder();
  folder = join(other.path, 'backups');
  const fetched: number[] = [];
  await copies().fetch(id, { nowMs: NOW, onBytes: (done) => void fetched.push(done) });
  expect([readFileSync(backupPath(folder, id)).equals(before), fetched.at(-1)]).toEqual([true, 17 * MB]);
  expect(readdirSync(folder)).toEqual([`${id}.age`]);
  other[Symbol.dispose]();
});

test('a backup that is there already is neither sent nor fetched again, and one is deleted there alone', async () => {
  const id = put(100);
  await send(id);
  const { length } = s3.requests;
  await send(id);
  await copies().fetch(id, { nowMs: NOW });
  expect(s3.requests.slice(length)).toEqual([`HEAD ${named(id)}`]);
  await copies().remove(id);
  await copies().remove(id);
  expect([s3.objects.size, readdirSync(folder)]).toEqual([0, [`${id}.age`]]);
  expect(await faultOf(copies().fetch(put(1).replace('daily', 'manual'), { nowMs: NOW }))).toMatchObject({
    code: 'remote_missing',
  });
});

test('T57 the secret itself is in no request, and a wrong one, another bucket or nothing set is said', async () => {
  const id = put(100);
  for (const [changes, code] of [
    [{ backup_s3_secret_key: 'wrong' }, 'remote_refused'],
    [{ backup_s3_access_key: 'nobody' }, 'remote_refused'],
    [{ backup_s3_bucket: 'others' }, 'remote_refused'],
    [{ backup_s3_secret_key: '' }, 'remote_unset'],
    [{ backup_s3_endpoint: '' }, 'remote_unset'],
  ] as const) {
    expect([changes, await faultOf(copies(changes).test('one'))]).toMatchObject([changes, { code }]);
    expect([changes, await faultOf(copies(changes).list())]).toMatchObject([changes, { code }]);
  }
  expect((await faultOf(copies({ backup_s3_secret_key: 'wrong' }).list())) as Error).toMatchObject({
    message: expect.stringContaining('SignatureDoesNotMatch'),
  });
  expect(await copies().test('one')).toBe(`${s3.url}/${S3_BUCKET}`);
  await send(id);
  expect([...s3.objects.keys()]).toEqual([named(id)]);
  expect(s3.requests.join()).not.toContain(S3_KEYS.secretKey.slice(0, 12));
});

test('a storage that fails, is silent or loses its answers for a moment is asked again', async () => {
  const id = put(9 * MB);
  const isPart = (request: string) => request.includes('partNumber=2');
  s3.faults.push(
    { when: (request) => request.startsWith('POST') && request.includes('uploads'), fault: { status: 500 } },
    { when: isPart, fault: { status: 503 } },
    { when: isPart, fault: 'lost' },
    { when: (request) => request.startsWith('POST') && request.includes('uploadId'), fault: 'lost' },
  );
  await send(id);
  expect([s3.faults, s3.objects.get(named(id))?.length]).toEqual([[], 9 * MB]);
  const small = put(100);
  s3.faults.push({ when: (request) => request.includes('partNumber=1'), fault: 'silent' });
  await send(small, impatient());
  expect([s3.faults, s3.objects.get(named(small))?.length]).toEqual([[], 100]);
  const other = dataFolder();
  folder = join(other.path, 'backups');
  const isObject = (request: string) => request.startsWith('GET lantern');
  s3.faults.push({ when: isObject, fault: 'half' }, { when: isObject, fault: { status: 500 } });
  await copies().fetch(id, { nowMs: NOW });
  expect([s3.faults, readFileSync(backupPath(folder, id)).length]).toEqual([[], 9 * MB]);
  other[Symbol.dispose]();
});

test('what is sent by half is no backup: the upload is given up, and no name stands for it', async () => {
  for (const fault of [{ status: 500 }, 'silent', { status: 403 }] as const)
    for (const at of ['partNumber', 'uploadId=u']) {
      const id = put(100);
      // The last of them is the end of the upload; its being given up goes through.
      const when = (request: string) => request.includes(at) && !request.startsWith('DELETE');
      s3.faults.push(...Array.from({ length: 3 }, () => ({ when, fault })));
      const code = typeof fault === 'object' && fault.status === 403 ? 'remote_refused' : 'remote_failed';
      expect([at, fault, await faultOf(send(id, impatient()))]).toMatchObject([at, fault, { code }]);
      expect([await copies().list(), s3.uploads.size]).toEqual([[], 0]);
      s3.faults.length = 0;
    }
});

test('an upload whose end is answered by nothing is whole where the storage has it', async () => {
  const id = put(100);
  const isEnd = (request: string) => request.startsWith('POST') && request.includes('uploadId');
  s3.faults.push(...(['lost', 'lost', 'lost'] as const).map((fault) => ({ when: isEnd, fault })));
  await send(id);
  expect([s3.faults, (await copies().list()).map((each) => each.id)]).toEqual([[], [id]]);
});

test('what is fetched by half is no backup, nor what becomes another object meanwhile', async () => {
  const id = put(9 * MB);
  await send(id);
  const other = dataFolder();
  folder = join(other.path, 'backups');
  const isObject = (request: string) => request.startsWith('GET lantern');
  for (const fault of [{ status: 500 }, 'half'] as const) {
    s3.faults.push(...Array.from({ length: 3 }, () => ({ when: isObject, fault })));
    expect([fault, await faultOf(copies().fetch(id, { nowMs: NOW }))]).toMatchObject([
      fault,
      { code: 'remote_failed' },
    ]);
    expect([fault, readdirSync(folder)]).toEqual([fault, []]);
    s3.faults.length = 0;
  }
  const changing = copies().fetch(id, {
    nowMs: NOW,
    onBytes: () => void s3.objects.set(named(id), Buffer.alloc(9 * MB, 'other')),
  });
  expect(await faultOf(changing)).toMatchObject({ code: 'remote_refused' });
  expect(readdirSync(folder)).toEqual([]);
  other[Symbol.dispose]();
});

test('T46 only names of backups are sent, fetched or deleted', async () => {
  for (const id of ['../app', 'app.key', '', 'spawnpoint-20261113T030000Z-manual-0000000g']) {
    for (const work of [send(id), copies().fetch(id, { nowMs: NOW }), copies().remove(id)])
      expect(await faultOf(work)).toBeInstanceOf(RangeError);
  }
  expect(s3.requests).toEqual([]);
});
