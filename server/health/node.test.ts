import { expect, test } from 'bun:test';
import type { Runtime, RuntimeServer } from '#server/panel/index.ts';
import { nodeCheck } from './node.ts';

const server: RuntimeServer = {
  id: '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c01',
  revision: 1,
  state: 'running',
  memory: 1,
  cpu: 1,
  disk: 1,
  uptimeMs: 1,
  backups: 0,
  halt: null,
};
const find = async (answer: Awaited<ReturnType<Runtime['list']>> | null, builtIn = true) =>
  nodeCheck({ runtime: answer && { list: async () => answer }, builtIn, serversDir: '/srv/servers' }).run(
    new AbortController().signal,
  );

test('a node that answers is fine, and its servers are counted', async () => {
  const value = [server, { ...server, state: 'offline' as const }];
  expect(await find({ outcome: 'ok', value })).toMatchObject({
    code: 'ok',
    facts: { running: { value: 1 }, all: { value: 2 }, path: { value: '/srv/servers' } },
  });
});

test('a server that does not end is a fault, which names it', async () => {
  const value = [server, { ...server, state: 'stopping' as const, halt: { reason: 'stuck' as const, port: null } }];
  expect(await find({ outcome: 'ok', value })).toMatchObject({
    code: 'stuck',
    facts: { stuck: { value: 1 }, server: { value: server.id } },
  });
});

test('a node that does not answer is a fault', async () => {
  expect(await find({ outcome: 'unavailable' })).toMatchObject({ code: 'absent' });
});

test('without a node the built-in panel imitates servers, and beside another panel none run here', async () => {
  expect(await find(null)).toMatchObject({ code: 'imitated' });
  expect(await find(null, false)).toMatchObject({ code: 'none' });
});
