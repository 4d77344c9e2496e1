import { afterEach, beforeEach, expect, test } from 'bun:test';
import { serverBackupsHandlers } from '#server/api/server-backups.ts';
import type { DownloadAnswer } from '#server/http/implement.types.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { Panel, PanelAnswer } from '#server/modules/servers/index.ts';
import { ARCHIVE_PART_BYTES, SERVER_BACKUP_REFUSALS, type ServerBackupCall } from '#shared/schemas/server-backups.ts';
import { codeOf } from '#tests/support/coins.ts';
import { asCaller, liveServerWorld } from '#tests/support/live-panel.ts';
import type { ServersWorld } from '#tests/support/servers.ts';

// What the browser asks about backups, over a panel that has them; the archives are tested where the node is.
const BACKUP = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c01';
let world: ServersWorld;
let ctx: SignedIn;
let id: string;
let panel: Panel;
let handlers: ReturnType<typeof serverBackupsHandlers>;
let asked: { readonly call: ServerBackupCall; readonly input: unknown }[];
let answers: PanelAnswer<{ value: unknown; bytes: Uint8Array }>[];

const ok = (value: unknown, bytes = new Uint8Array()) => ({ outcome: 'ok', value: { value, bytes } }) as const;
beforeEach(async () => {
  const opened = await liveServerWorld();
  ({ world, ctx, id } = opened);
  ({ panel } = opened.site);
  asked = [];
  answers = [];
  Object.assign(panel, {
    backups: async (_: string, call: ServerBackupCall, input: unknown) => {
      asked.push({ call, input });
      return answers.shift() ?? { outcome: 'unknown' };
    },
  });
  handlers = serverBackupsHandlers({ servers: world.servers });
});
afterEach(() => world.close());

const params = () => ({ id, backup: BACKUP });
const list = async (who = ctx) => handlers.list(asCaller(who), { params: { id } } as never);
const create = async (who = ctx) => handlers.create(asCaller(who), { params: params(), body: { name: 'a' } } as never);
const restore = async (who = ctx) =>
  handlers.restore(asCaller(who), { params: params(), body: { stop: true } } as never);
const lock = async (who = ctx) => handlers.lock(asCaller(who), { params: params(), body: { locked: true } } as never);
const remove = async (who = ctx) => handlers.remove(asCaller(who), { params: params() } as never);
const download = async (who = ctx) =>
  (await handlers.download(asCaller(who), { params: params() } as never)) as DownloadAnswer;
const CALLS = { list, create, restore, lock, remove, download };
const eventsOf = async () =>
  (await world.uow.read((tx) => tx.servers.listEvents(id, 50)))
    .map(({ code }) => code)
    .filter((code) => code.startsWith('backup'));

test('backups are listed with their times, and how many the server may have', async () => {
  const backup = { id: BACKUP, name: 'n', createdMs: 1000, locked: false, state: 'ready', size: 5, failure: null };
  answers.push(
    ok({
      backups: [
        { ...backup, restoredMs: 2000 },
        { ...backup, restoredMs: null },
      ],
    }),
  );
  const answer = (await list()) as { backups: { created_at: string; restored_at: string | null }[]; limit: number };
  expect(answer.backups.map((each) => [each.created_at, each.restored_at])).toEqual([
    ['1970-01-01T00:00:01.000Z', '1970-01-01T00:00:02.000Z'],
    ['1970-01-01T00:00:01.000Z', null],
  ]);
  const server = await world.uow.read((tx) => tx.servers.find(id));
  expect(answer.limit).toBe(server?.resources.backups ?? -1);
});

test('T24 backups of somebody else’s server are not there, whatever is asked, and nothing is asked of the node', async () => {
  const other = await world.person();
  for (const [name, call] of Object.entries(CALLS))
    expect([name, await codeOf(call(other))]).toEqual([name, 'NOT_FOUND']);
  expect(asked).toEqual([]);
  expect(await eventsOf()).toEqual([]);
});

test('T27 a suspended server has no backups here, and one of another panel has them there', async () => {
  Object.assign(panel, { backups: undefined });
  for (const [name, call] of Object.entries(CALLS))
    expect([name, await codeOf(call())]).toEqual([name, 'BACKUPS_UNAVAILABLE']);
  await world.suspendForBan(ctx);
  for (const [name, call] of Object.entries(CALLS))
    expect([name, await codeOf(call())]).toEqual([name, 'SERVER_SUSPENDED']);
});

test('the limit that a backup is made within is the server’s own, and no word of the browser’s', async () => {
  answers.push(ok(null));
  await create();
  const server = await world.uow.read((tx) => tx.servers.find(id));
  expect(asked).toEqual([
    { call: 'make', input: { backup: BACKUP, name: 'a', most: server?.resources.backups, rotate: false } },
  ]);
});

test('every refusal of the node has its own code, and what was surely not done is in no history', async () => {
  const codes: (string | null)[] = [];
  for (const reason of SERVER_BACKUP_REFUSALS) {
    answers.push({ outcome: 'refused', reason });
    codes.push(await codeOf(restore()));
  }
  expect(codes).toEqual(['BACKUP_NOT_FOUND', 'BACKUP_LIMIT', 'BACKUP_LOCKED', 'SERVER_RUNNING']);
  answers.push({ outcome: 'conflict' }, { outcome: 'unavailable' });
  expect([await codeOf(restore()), await codeOf(restore())]).toEqual(['SERVER_BUSY', 'PANEL_UNREACHABLE']);
  expect(await eventsOf()).toEqual([]);
});

test('what was done, and what nobody answered, is in the history of the server once each', async () => {
  answers.push(ok(null), ok(null), ok(null), ok(null), { outcome: 'unknown' });
  await create();
  await restore();
  await lock();
  await remove();
  expect(await codeOf(restore())).toBe('PANEL_UNREACHABLE');
  expect((await eventsOf()).toSorted()).toEqual(['backupDeleted', 'backupMade', 'backupRestored', 'backupRestored']);
});

test('an archive is downloaded in parts under a name with its time, and breaks off where it is gone', async () => {
  const size = ARCHIVE_PART_BYTES + 10;
  const value = { size, createdMs: Date.UTC(2026, 0, 2, 3, 4) };
  answers.push(ok(value, new Uint8Array(ARCHIVE_PART_BYTES)), ok(value, new Uint8Array(10)));
  const { filename, bytes, body } = await download();
  expect([filename, bytes, (await new Response(body).bytes()).length]).toEqual([
    'backup-2026-01-02-03-04.tar.gz',
    size,
    size,
  ]);
  expect(asked.at(-1)?.input).toEqual({ backup: BACKUP, from: ARCHIVE_PART_BYTES, length: 10 });
  answers = [ok(value, new Uint8Array(ARCHIVE_PART_BYTES)), { outcome: 'refused', reason: 'absent' }];
  const { body: cut } = await download();
  expect(
    await new Response(cut).bytes().then(
      () => 'whole',
      () => 'broken',
    ),
  ).toBe('broken');
});
