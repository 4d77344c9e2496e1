import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nodeSocket } from '../node/place.ts';
import { isBuiltIn, nodeAnswers, nodeOf } from './node-of.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The configuration of a host that runs servers in a new folder. */
function ours() {
  const serversDir = mkdtempSync(join(tmpdir(), 'sp-node-'));
  folders.push(serversDir);
  return { runtime: 'auto', panelDriver: 'embedded', serversDir } as const;
}

test('there is a node where the built-in panel runs servers, and none where it imitates them or is another one', () => {
  expect(nodeOf(ours())).not.toBeNull();
  expect(nodeAnswers({ ...ours(), runtime: 'simulated' })).toBeNull();
  expect(nodeAnswers({ ...ours(), panelDriver: 'pterodactyl' })).toBeNull();
  expect([isBuiltIn({ panelDriver: 'pelican' }), isBuiltIn({})]).toEqual([false, true]);
});

test('a node answers, is not there, or is silent: whoever asks hears of it in either case', async () => {
  const config = ours();
  expect(await nodeAnswers(config)?.()).toBe(false);
  const unix = nodeSocket(config.serversDir);
  mkdirSync(dirname(unix), { recursive: true });
  let answer = (): Promise<Response> => Promise.resolve(Response.json({ outcome: 'ok', value: [] }));
  const server = Bun.serve({ unix, fetch: () => answer() });
  expect(await nodeAnswers(config)?.()).toBe(true);
  answer = () => new Promise(() => undefined);
  expect(await nodeAnswers(config)?.()).toBe(false);
  await server.stop(true);
});
