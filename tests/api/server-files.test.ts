import { afterEach, beforeEach, expect, test } from 'bun:test';
import { serverFilesHandlers } from '#server/api/server-files.ts';
import type { DownloadAnswer } from '#server/http/implement.types.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { Panel, PanelAnswer } from '#server/modules/servers/index.ts';
import { FILE_PART_BYTES, FILE_REFUSALS, type FileCall } from '#shared/schemas/server-files.ts';
import { codeOf } from '#tests/support/coins.ts';
import { asCaller, liveServerWorld } from '#tests/support/live-panel.ts';
import type { ServersWorld } from '#tests/support/servers.ts';

// What the browser asks about files, over a panel that has them; the files themselves are tested where the node is.
let world: ServersWorld;
let ctx: SignedIn;
let id: string;
let panel: Panel;
let handlers: ReturnType<typeof serverFilesHandlers>;
let asked: { readonly call: FileCall; readonly input: unknown; readonly bytes: number | null }[];
let answers: PanelAnswer<{ value: unknown; bytes: Uint8Array }>[];

const ok = (value: unknown, bytes = new Uint8Array()) => ({ outcome: 'ok', value: { value, bytes } }) as const;
beforeEach(async () => {
  const opened = await liveServerWorld();
  ({ world, ctx, id } = opened);
  ({ panel } = opened.site);
  asked = [];
  answers = [];
  Object.assign(panel, {
    files: async (_: string, call: FileCall, input: unknown, bytes?: Uint8Array) => {
      asked.push({ call, input, bytes: bytes?.length ?? null });
      return answers.shift() ?? { outcome: 'unknown' };
    },
  });
  handlers = serverFilesHandlers({ servers: world.servers });
});
afterEach(() => world.close());

const list = (who = ctx, query = {}) => handlers.list(asCaller(who), { params: { id }, query } as never);
const NOTHING = { entries: [], total: 0, used: null, limit: 5 };

test('a folder is listed with times that have a text, whatever the server gave its files', async () => {
  const file = { name: 'a', kind: 'file', target: null, size: 1, foreign: false };
  const times = [1000.5, -5, 9e15, 0];
  answers.push(ok({ ...NOTHING, entries: times.map((modifiedMs) => ({ ...file, modifiedMs })), total: 4 }));
  const { entries } = (await list(ctx, { path: 'plugins', from: 200, q: 'a' })) as {
    entries: { modified_at: string }[];
  };
  expect(entries.map(({ modified_at: at }) => at)).toEqual([
    '1970-01-01T00:00:01.000Z',
    '1970-01-01T00:00:00.000Z',
    '+275760-09-13T00:00:00.000Z',
    '1970-01-01T00:00:00.000Z',
  ]);
  expect(asked).toEqual([{ call: 'list', input: { path: 'plugins', from: 200, find: 'a' }, bytes: null }]);
});

test('T24 files of somebody else’s server are not there, and nothing is asked of the node', async () => {
  expect(await codeOf(Promise.resolve(list(await world.person())))).toBe('NOT_FOUND');
  expect(asked).toEqual([]);
});

test('T27 a suspended server has no files here, and one of another panel has them there', async () => {
  Object.assign(panel, { files: undefined });
  expect(await codeOf(Promise.resolve(list()))).toBe('FILES_UNAVAILABLE');
  await world.suspendForBan(ctx);
  expect(await codeOf(Promise.resolve(list()))).toBe('SERVER_SUSPENDED');
});

test('every refusal of the node has its own code, and no answer is one that failed', async () => {
  const codes: (string | null)[] = [];
  for (const reason of FILE_REFUSALS) {
    answers.push({ outcome: 'refused', reason });
    codes.push(await codeOf(Promise.resolve(list())));
  }
  expect(codes).toEqual([
    'FILE_NOT_FOUND',
    'FILE_EXISTS',
    'FILE_CHANGED',
    'FILE_NOT_TEXT',
    'FILE_TOO_LARGE',
    'FILES_FULL',
    'FILE_REFUSED',
    'UPLOAD_GAP',
    'ARCHIVE_UNREADABLE',
    'ARCHIVE_TOO_LARGE',
    'FILES_WORKING',
  ]);
  answers.push({ outcome: 'conflict' });
  expect(await codeOf(Promise.resolve(list()))).toBe('SERVER_BUSY');
  for (const outcome of ['unavailable', 'unknown', 'not_found'] as const) {
    answers.push({ outcome });
    expect(await codeOf(Promise.resolve(list()))).not.toBeNull();
  }
});

test('a text keeps its byte order mark and its line ends on the way, and is saved as it came', async () => {
  const bytes = new TextEncoder().encode('\u{feff}a\r\nb');
  answers.push(ok({ version: '1.2.3' }, bytes), ok({ version: '4.5.6' }));
  const at = { params: { id }, query: { path: 'a.txt' }, body: undefined };
  expect(await handlers.open(asCaller(ctx), at)).toEqual({ text: '\u{feff}a\r\nb', version: '1.2.3' });
  const saved = { ...at, query: { path: 'a.txt', version: '1.2.3' }, body: bytes } as never;
  expect(await handlers.save(asCaller(ctx), saved)).toEqual({ version: '4.5.6' });
  expect(asked[1]).toEqual({ call: 'save', input: { path: 'a.txt', version: '1.2.3' }, bytes: bytes.length });
});

const part = (version: string, size: number, bytes: number) => ok({ version, size }, new Uint8Array(bytes));
const download = async () =>
  (await handlers.download(asCaller(ctx), {
    params: { id },
    query: { path: 'logs/latest.log' },
    body: undefined,
  })) as DownloadAnswer;

test('a file that grows is downloaded as it was when that began', async () => {
  const size = FILE_PART_BYTES + 10;
  answers.push(part('7.1.1', size, FILE_PART_BYTES), part('7.2.2', size + 500, 10));
  const { filename, bytes, body } = await download();
  expect([filename, bytes, (await new Response(body).bytes()).length]).toEqual(['latest.log', size, size]);
  expect(asked.at(-1)?.input).toEqual({ path: 'logs/latest.log', from: FILE_PART_BYTES, length: 10, version: null });
});

test('a download breaks off where the file is another one, shorter, or gone', async () => {
  const size = FILE_PART_BYTES + 10;
  for (const second of [
    part('8.2.2', size, 10),
    part('7.1.1', size, 0),
    { outcome: 'refused', reason: 'absent' } as const,
  ]) {
    answers = [part('7.1.1', size, FILE_PART_BYTES), second];
    const { body } = await download();
    expect(
      await new Response(body).bytes().then(
        () => 'whole',
        () => 'broken',
      ),
    ).toBe('broken');
  }
  answers = [part('7.1.1', 0, 0)];
  expect((await new Response((await download()).body).bytes()).length).toBe(0);
});

test('an upload, a move, a deletion and the bin reach the node as they were asked for', async () => {
  const upload = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c01';
  const one = { id, upload };
  answers.push(ok({ received: 3, done: true }), ok({ received: 2 }), ok(null), ok(null), ok(null), ok(null), ok(null));
  const query = { path: 'a', at: 0, size: 3, replace: 'true' };
  expect(await handlers.upload(asCaller(ctx), { params: one, query, body: new Uint8Array(3) } as never)).toEqual({
    received: 3,
    done: true,
  });
  expect(await handlers.uploaded(asCaller(ctx), { params: one } as never)).toEqual({ received: 2 });
  await handlers.discard(asCaller(ctx), { params: one } as never);
  await handlers.move(asCaller(ctx), { params: { id }, body: { from: 'a', to: 'b' } } as never);
  await handlers.remove(asCaller(ctx), { params: { id }, body: { paths: ['b'] } } as never);
  await handlers.restore(asCaller(ctx), { params: { id }, body: { ids: ['x-y'] } } as never);
  await handlers.emptyBin(asCaller(ctx), { params: { id } } as never);
  expect(asked).toEqual([
    { call: 'receive', input: { path: 'a', at: 0, size: 3, upload, replace: true }, bytes: 3 },
    { call: 'received', input: { upload }, bytes: null },
    { call: 'discard', input: { upload }, bytes: null },
    { call: 'move', input: { from: 'a', to: 'b' }, bytes: null },
    { call: 'delete', input: { paths: ['b'] }, bytes: null },
    { call: 'restore', input: { ids: ['x-y'] }, bytes: null },
    { call: 'empty', input: { ids: null }, bytes: null },
  ]);
});

test('the list says what is being packed, and how it ended by the code that a call would have', async () => {
  const empty = { entries: [], total: 0, used: null, limit: 1 };
  const work = { call: 'unpack', to: 'world', state: 'failed' } as const;
  answers.push(
    ok(empty),
    ok({ ...empty, work: { ...work, state: 'running', reason: null } }),
    ok({ ...empty, work: { ...work, reason: 'bad_archive' } }),
    ok({ ...empty, work: { ...work, reason: null } }),
  );
  const seen = async () => ((await list()) as { work: object | null }).work;
  expect(await seen()).toBeNull();
  expect(await seen()).toEqual({ call: 'unpack', to: 'world', state: 'running', error: null });
  expect(await seen()).toMatchObject({ state: 'failed', error: 'ARCHIVE_UNREADABLE' });
  // What nobody knows is said as what nobody knows.
  expect(await seen()).toMatchObject({ state: 'failed', error: 'SERVER_ERROR' });
});
