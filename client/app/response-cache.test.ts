import { describe, expect, test } from 'bun:test';
import { createResponseCache } from './response-cache.ts';

function open(wanted = { now: true }) {
  const asked: string[] = [];
  let count = 0;
  const cache = createResponseCache(
    async (path, init) => {
      asked.push(`${init.method ?? 'GET'} ${path}`);
      count += 1;
      return new Response(JSON.stringify({ count }), { status: path.includes('missing') ? 404 : 200 });
    },
    () => wanted.now,
  );
  const get = async (path: string) =>
    ((await (await cache.fetch(path, { method: 'GET' })).json()) as { count: number }).count;
  return { cache, asked, get, wanted };
}

describe('a quick return', () => {
  test('going back serves cached responses, and everything else is fetched', async () => {
    const { cache, asked, get } = open();
    expect([await get('/api/servers'), await get('/api/servers')]).toEqual([1, 2]);
    cache.replay();
    expect([await get('/api/servers'), await get('/api/servers')]).toEqual([2, 2]);
    expect(cache.finishReplay()).toBe(true);
    expect(await get('/api/servers')).toBe(3);
    expect(asked).toHaveLength(3);
    expect(cache.finishReplay()).toBe(false);
  });
  test('the session and failed responses are never served from the cache', async () => {
    const { cache, asked, get } = open();
    await get('/api/user/session');
    await get('/api/missing');
    cache.replay();
    await get('/api/user/session');
    await get('/api/missing');
    expect(asked).toHaveLength(4);
    expect(cache.finishReplay()).toBe(false);
  });
  test('a command clears the cache, also when it fails', async () => {
    const { cache, get } = open();
    await get('/api/servers');
    await cache.fetch('/api/missing', { method: 'POST' });
    expect(cache.size()).toBe(0);
  });
  test('no response is cached or served from the cache with caching off', async () => {
    const { cache, get, wanted } = open();
    await get('/api/servers');
    wanted.now = false;
    cache.replay();
    expect(await get('/api/servers')).toBe(2);
    cache.sweep();
    expect(cache.size()).toBe(0);
  });
  test('the newest sixty responses are kept', async () => {
    const { cache, get } = open();
    for (let page = 0; page < 70; page += 1) await get(`/api/servers?page=${page}`);
    expect(cache.size()).toBe(60);
    cache.replay();
    expect(await get('/api/servers?page=10')).toBe(11);
    expect(await get('/api/servers?page=9')).toBe(71);
  });
  test('a sweep drops responses that were not used since the last one', async () => {
    const { cache, get } = open();
    await get('/api/a');
    cache.sweep();
    await get('/api/b');
    cache.sweep();
    expect(cache.size()).toBe(1);
    cache.sweep();
    expect(cache.size()).toBe(0);
  });
});
