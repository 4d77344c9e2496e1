import { SQL } from 'bun';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import { createProcessChannel } from '#server/data/process-channel.ts';
import { MISSED_TOPIC } from '#server/modules/kernel.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { testLog } from '#tests/support/log.ts';

let db: TestDb;
let url = '';
let admin: SQL;
const open: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  db = await openTestDb('postgres');
  if ('url' in db.where) ({ url } = db.where);
  admin = new SQL(url, { max: 1 });
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});
afterAll(async () => {
  await admin.close();
  await db.close();
});

/** One more process on the database, as far as it speaks and hears. `heard`: topics of other processes and its own. */
async function startProcess() {
  const log = testLog();
  const bus = createBus(log);
  const database = openDatabase({ url, bus, log });
  open.push(database);
  const heard: string[] = [];
  const hear = (...topics: string[]) => topics.forEach((topic) => bus.subscribe(topic, () => heard.push(topic)));
  await database.channel?.start();
  await until(() => database.channel?.state()?.isListening === true);
  const touch = (...topics: string[]) =>
    database.uow.run(async (tx) => {
      await tx.settings.put('channel', '', TEST_START);
      tx.touch(...topics);
    });
  return { bus, database, log, heard, hear, touch };
}
async function until(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 20_000; !holds(); await Bun.sleep(5))
    if (performance.now() > end) throw new Error('it did not come');
}

test('what is committed in one process is heard in the others, once, and in itself as before', async () => {
  const [one, two, three] = [await startProcess(), await startProcess(), await startProcess()];
  const topics = ['session:1', 'user:1', "odd:'\\"];
  for (const each of [one, two, three]) each.hear(...topics);
  await one.touch(...topics);
  expect(one.heard).toEqual(topics);
  await until(() => [two, three].every(({ heard }) => heard.length >= topics.length));
  // A later message comes behind all that would come twice.
  one.hear('roles');
  two.hear('roles');
  await one.touch('roles');
  await until(() => two.heard.includes('roles'));
  expect(two.heard.toSorted()).toEqual([...topics, 'roles'].toSorted());
  expect(one.heard).toEqual([...topics, 'roles']);
  expect(one.database.channel?.state()?.processes).toBe(3);
});

test('what is rolled back is heard by nobody, nor what concerns the process alone', async () => {
  const [one, two] = [await startProcess(), await startProcess()];
  two.hear('session:1', 'user:1', 'jobs', 'settings.loaded', 'roles', 'user:2');
  const failing = one.database.uow.run(async (tx) => {
    tx.touch('session:1', 'user:1');
    throw new Error('halt');
  });
  await expect(failing).rejects.toThrow('halt');
  await one.touch('jobs');
  one.bus.publish(['settings.loaded']);
  await one.touch('roles', 'user:2');
  await until(() => two.heard.length >= 2);
  expect(two.heard.toSorted()).toEqual(['roles', 'user:2']);
});

test('a session that ends is said by the commit itself: who is killed right after it has said it', async () => {
  const one = await startProcess();
  const messages: string[] = [];
  const listener = new SQL(url, { max: 1 });
  await listener.listen('spawnpoint', (message) => messages.push(message));
  // What leaves after the commit leaves no more.
  one.bus.forwardTo(() => {
    throw new Error('killed');
  });
  await expect(one.touch('session:1', 'user:1')).rejects.toThrow('killed');
  await until(() => messages.some((message) => message.endsWith('\nsession:1')));
  await listener.close({ timeout: 0 });
});

test('more topics than a message holds come in several', async () => {
  const [one, two] = [await startProcess(), await startProcess()];
  const topics = [200, 400].flatMap((count, kind) =>
    Array.from({ length: count }, (_, at) => `${kind === 0 ? 'session' : 'user'}:${crypto.randomUUID()}${at}`),
  );
  two.hear(...topics);
  await one.touch(...topics);
  await until(() => two.heard.length >= topics.length);
  expect(new Set(two.heard)).toEqual(new Set(topics));
});

test('a lost connection is made again, and everything counts as changed since', async () => {
  const [one, two] = [await startProcess(), await startProcess()];
  two.hear('session:1', MISSED_TOPIC);
  await admin.unsafe(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'spawnpoint channel' AND datname = current_database()",
  );
  await until(() => two.heard.includes('session:1'));
  expect(two.heard[0]).toBe(MISSED_TOPIC);
  two.heard.length = 0;
  await one.touch('session:1');
  await until(() => two.heard.includes('session:1'));
});

test('what waits to be said is said before a process ends, by a command line as well, which does not listen', async () => {
  const two = await startProcess();
  two.hear('user:1', 'session:1');
  const log = testLog();
  const database = openDatabase({ url, bus: createBus(log), log });
  expect(database.channel?.state()).toBeNull();
  await database.uow.run(async (tx) => {
    await tx.settings.put('channel', '', TEST_START);
    tx.touch('user:1', 'session:1');
  });
  await database.close();
  await until(() => two.heard.length >= 2);
  expect(two.heard.toSorted()).toEqual(['session:1', 'user:1']);
});

test('a connection that is dead without saying so is found, and what waited to be said leaves by the next', async () => {
  const proxy = await freezingProxy();
  const two = await startProcess();
  two.hear('user:1');
  const log = testLog();
  const bus = createBus(log);
  const heard: string[] = [];
  const channel = createProcessChannel({ url: proxy.urlTo(url), bus, log, beatMs: 100 });
  open.push(channel, proxy);
  await channel.start();
  await until(() => channel.state()?.isListening === true);
  proxy.freeze();
  bus.subscribe('session:1', () => heard.push('session:1'));
  bus.publish(['user:1']);
  await two.touch('session:1');
  await until(() => heard.length > 0 && two.heard.length > 0);
  expect(new Set(log.events())).toEqual(new Set(['processes.not_heard', 'processes.heard_again']));
  await two.touch('session:1');
  await until(() => heard.length > 1);
});

/** A way to a server whose connections can be frozen: they stay open, and nothing comes through them any more. */
async function freezingProxy() {
  const pairs = new Set<{ isFrozen: boolean; readonly sockets: readonly Socket[] }>();
  let target = new URL(url);
  const server = createServer((socket) => {
    const onward = connect(Number(target.port), target.hostname);
    const pair = { isFrozen: false, sockets: [socket, onward] };
    pairs.add(pair);
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      from.on('data', (bytes) => void (pair.isFrozen || to.write(bytes)));
      from.on('error', () => undefined);
      from.on('close', () => void (pair.isFrozen || to.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    urlTo(to: string): string {
      target = new URL(to);
      const way = new URL(to);
      way.hostname = '127.0.0.1';
      way.port = String(port);
      return way.href;
    },
    freeze: () => pairs.forEach((pair) => void (pair.isFrozen = true)),
    async close() {
      for (const { sockets } of pairs) for (const each of sockets) each.destroy();
      server.close();
    },
  };
}
