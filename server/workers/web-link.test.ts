import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequestMeter } from '#server/health/metrics.ts';
import { createOwnSocketApp } from '#server/http/own-socket.ts';
import { listenOnSocket } from './socket-listener.ts';
import { answerExchange, openWebLink } from './web-link.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'spawnpoint-link-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** The hosting API's side, with an installation that is reached in a way a test may change. */
function listen(at: string) {
  const total = createRequestMeter();
  const reach = { appUrl: 'https://play.example.com', trustedProxies: ['10.0.0.0/8'] as readonly string[] };
  const app = createOwnSocketApp({
    transport: { ready: async () => true, forward: async () => new Response('called'), fetcher: () => fetch },
    chooseLocale: () => 'en',
    local: false,
    exchange: answerExchange(total, () => reach),
    metrics: (request) =>
      new Response('metrics', { status: request.headers.get('authorization') === 'Bearer t' ? 200 : 401 }),
    newId: () => 'id',
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  return { total, reach, listener: listenOnSocket(at, app) };
}

test('the hosting API counts what web processes answered, each request once, also when it was away meanwhile', async () => {
  const path = join(folder, 'api.sock');
  const meter = createRequestMeter();
  const link = openWebLink(path, meter);
  meter.note(200, 4);
  meter.note(404, 20_000);
  expect(await link.exchange().catch(() => 'away')).toBe('away');
  meter.note(200, 4);
  const { total, listener } = listen(path);
  await link.exchange();
  await link.exchange();
  const { byClass, buckets, sumMs } = total.read();
  expect([byClass, buckets[0], buckets.at(-1), sumMs]).toEqual([[0, 0, 2, 0, 1, 0], 2, 3, 20_008]);
  await listener.stop(1000);
});

test('a web process hears how the installation is reached, and gets another object only where that has changed', async () => {
  const path = join(folder, 'api.sock');
  const { reach, listener } = listen(path);
  const link = openWebLink(path, createRequestMeter());
  const first = await link.exchange();
  expect(first).toEqual({ appUrl: 'https://play.example.com', trustedProxies: ['10.0.0.0/8'] });
  expect(await link.exchange()).toBe(first);
  reach.trustedProxies = [];
  expect(await link.exchange()).toEqual({ appUrl: 'https://play.example.com', trustedProxies: [] });
  await listener.stop(1000);
});

test('the metrics are those of the hosting API, for who shows it the token', async () => {
  const path = join(folder, 'api.sock');
  const { listener } = listen(path);
  const { metrics } = openWebLink(path, createRequestMeter());
  const ask = async (headers: Record<string, string>) =>
    (await metrics(new Request('http://x/metrics', { headers }))).status;
  expect([await ask({ authorization: 'Bearer t' }), await ask({})]).toEqual([200, 401]);
  await listener.stop(1000);
});

test('the socket is open to its owner alone, takes the place of one that a kill left, and is gone when it ends', async () => {
  const path = join(folder, 'api.sock');
  writeFileSync(path, '');
  const { listener } = listen(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await listener.stop(1000);
  expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
});

test('what is under way when the socket ends is answered, and what hangs is cut after a while', async () => {
  const answered = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const path = join(folder, 'api.sock');
  const listener = listenOnSocket(path, async (request) => {
    asked.resolve();
    await (request.url.endsWith('/hangs') ? new Promise(() => undefined) : answered.promise);
    return new Response('answered');
  });
  const ask = (where: string) => fetch(`http://localhost/${where}`, { unix: path, method: 'POST', keepalive: false });
  const slow = ask('slow');
  await asked.promise;
  const stopped = listener.stop(60_000);
  answered.resolve();
  expect(await (await slow).text()).toBe('answered');
  await stopped;
  const again = listenOnSocket(path, () => new Promise<Response>(() => undefined));
  const hangs = ask('hangs').catch(() => 'cut');
  await again.stop(1);
  expect(await hangs).toBe('cut');
});
