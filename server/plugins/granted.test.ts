import { describe, expect, test } from 'bun:test';
import type { GrantPorts } from '#server/modules/plugins/engine-ports.ts';
import { createGranted, GRANT_LIMITS } from './granted.ts';
import type { PluginPermissions } from '#shared/plugin-manifest.ts';

function open(permissions: PluginPermissions, outbound: GrantPorts['outbound'] = async () => new Response('hello')) {
  const kept = new Map<string, string>();
  const paid: unknown[] = [];
  const asked: string[] = [];
  const logged: string[] = [];
  let nowMs = 0;
  const ask = createGranted(permissions, {
    storage: {
      get: async (key) => kept.get(key) ?? null,
      set: async (key, json) => (kept.set(key, json), true),
      delete: async (key) => void kept.delete(key),
      list: async (prefix) => [...kept.keys()].filter((key) => key.startsWith(prefix)),
    },
    settings: () => ({ color: 'red' }),
    outbound: async (url, init) => (asked.push(`${init.method} ${url}`), outbound(url, init)),
    pay: async (payment) => (paid.push(payment), 'paid'),
    read: {
      user: async (id) =>
        id === 'u1' ? { id, username: 'ann', locale: 'en', createdAt: '2026-01-01T00:00:00Z' } : null,
      server: async (id) => (id === 's1' ? { id, name: 'World', ownerId: 'u1', state: 'active' } : null),
    },
    notifyUser: async ({ userId }) => userId === 'u1',
    mailUser: async () => 'taken',
    log: (text) => void logged.push(text),
    now: () => nowMs,
  });
  const codeOf = (what: string, ...args: unknown[]) =>
    ask(what, args).then(
      () => 'answered',
      (error: Error) => error.message,
    );
  return { ask, codeOf, kept, paid, asked, logged, pass: (ms: number) => void (nowMs += ms) };
}
const ALL: PluginPermissions = { storage: true, notifications: true, credits: 500, hosts: ['api.example'] };

describe('what a plugin may ask for', () => {
  test('T48 what was not granted is refused, whatever the manifest said', async () => {
    const { codeOf, kept, paid, asked } = open({});
    for (const [what, ...args] of [
      ['storage.get', 'k'],
      ['storage.set', 'k', 1],
      ['storage.delete', 'k'],
      ['storage.list'],
      ['fetch', 'https://api.example/'],
      ['pay', { userId: 'u', amount: 1, reference: 'r' }],
      ['notify', { userId: 'u', text: 't', key: 'k' }],
      ['read.user', 'u1'],
      ['read.server', 's1'],
    ] as const)
      expect([what, await codeOf(what, ...args)]).toEqual([what, 'NOT_GRANTED']);
    expect([kept.size, paid.length, asked.length]).toEqual([0, 0, 0]);
    for (const what of ['constructor', '__proto__', 'storage', 'exec']) expect(await codeOf(what)).toBe('UNKNOWN');
  });

  test('it keeps values and gets them back', async () => {
    const { ask, codeOf } = open(ALL);
    await ask('storage.set', ['a', { n: 1 }]);
    expect(await ask('storage.get', ['a'])).toBe('{"n":1}');
    expect(await ask('storage.list', [''])).toBe('["a"]');
    await ask('storage.delete', ['a']);
    expect(await ask('storage.get', ['a'])).toBe('');
    expect(await codeOf('storage.set', 'a', 'x'.repeat(GRANT_LIMITS.value))).toBe('TOO_MUCH');
    expect(await codeOf('storage.set', 'x'.repeat(201), 1)).toBe('BAD_QUESTION');
    expect(await codeOf('storage.get', { toString: 1 })).toBe('BAD_QUESTION');
  });

  test.each([
    'http://api.example/',
    'https://api.example:8443/',
    'https://other.example/',
    'https://api.example.evil.example/',
    'https://api.example@evil.example/',
    'https://127.0.0.1/',
    'https://user:secret@evil.example/',
    'https://api.example./',
    'https://api.example%00.evil.example/',
    'https://evil.example#@api.example/',
    String.raw`https://evil.example\@api.example/`,
    'https://[::1]/',
    'https://2130706433/',
    'https://0x7f.1/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'no address',
  ])('T44 %s is no address that was granted', async (url) => {
    const { codeOf, asked } = open(ALL);
    expect(await codeOf('fetch', url)).toBe('NOT_GRANTED');
    expect(asked).toEqual([]);
  });

  test('T44 a granted service answers as text; a long answer, a silent service and headers of the product are refused', async () => {
    const fine = open(ALL);
    expect(JSON.parse(await fine.ask('fetch', ['https://api.example/v?x=1', { method: 'POST', body: 'b' }]))).toEqual({
      status: 200,
      type: '',
      body: 'hello',
    });
    expect(fine.asked).toEqual(['POST https://api.example/v?x=1']);
    expect(await fine.codeOf('fetch', 'https://api.example/', { headers: { Host: 'evil.example' } })).toBe(
      'BAD_QUESTION',
    );
    expect(await fine.codeOf('fetch', 'https://api.example/', { headers: { 'X-A': 'a\r\nB: c' } })).toBe(
      'BAD_QUESTION',
    );
    const large = open(ALL, async () => new Response('x'.repeat(10_000_000)));
    expect(await large.codeOf('fetch', 'https://api.example/')).toBe('TOO_MUCH');
    const silent = open(ALL, () => Promise.reject(new Error('refused: 10.0.0.1')));
    expect(await silent.codeOf('fetch', 'https://api.example/')).toBe('NO_ANSWER');
  });

  test('T44 a redirect is an answer and is not followed, wherever it leads, and nothing is sent along unasked', async () => {
    const seen: RequestInit[] = [];
    const { ask, asked } = open(ALL, async (_, init) => {
      seen.push(init);
      return new Response('moved', { status: 302, headers: { Location: 'https://169.254.169.254/latest' } });
    });
    expect(JSON.parse(await ask('fetch', ['https://API.example/go']))).toMatchObject({ status: 302, body: 'moved' });
    expect(asked).toEqual(['GET https://api.example/go']);
    expect(seen.map(({ redirect, headers, body }) => ({ redirect, headers, body }))).toEqual([
      { redirect: 'manual', headers: {}, body: undefined },
    ]);
  });

  test('T54 an e-mail takes lines in its text, and neither lines in its subject nor anything too long', async () => {
    const { codeOf } = open({ mail: true });
    const mail = { userId: 'u1', subject: 'Thanks', text: 'One\nTwo', key: 'k' };
    expect(await codeOf('mail', mail)).toBe('answered');
    expect(await codeOf('mail', { ...mail, subject: 'Thanks\r\nBcc: x@example.org' })).toBe('BAD_QUESTION');
    expect(await codeOf('mail', { ...mail, text: 'x'.repeat(4001) })).toBe('BAD_QUESTION');
    expect(await codeOf('mail', { ...mail, to: 'x@example.org' })).toBe('BAD_QUESTION');
    expect(await open({ notifications: true }).codeOf('mail', mail)).toBe('NOT_GRANTED');
  });

  test('T54 line breaks reach neither a header nor a notification nor the name of a value', async () => {
    const { codeOf, kept, asked } = open(ALL);
    for (const line of ['a\r\nB: c', 'a\nb', 'a\rb', 'a\u2028b\u0000']) {
      for (const headers of [{ 'X-A': line }, { [line]: 'a' }])
        expect(await codeOf('fetch', 'https://api.example/', { headers })).toBe('BAD_QUESTION');
      expect(await codeOf('notify', { userId: 'u1', text: line, key: 'k' })).toBe('BAD_QUESTION');
      expect(await codeOf('storage.set', line, 1)).toBe('BAD_QUESTION');
    }
    expect([kept.size, asked]).toEqual([0, []]);
  });

  test('it pays whole credits within its budget, with a reference', async () => {
    const { ask, codeOf, paid } = open(ALL);
    expect(await ask('pay', [{ userId: 'u1', amount: 5, reference: 'vote:1' }])).toBe('"paid"');
    expect(paid).toEqual([{ userId: 'u1', amount: 5, reference: 'vote:1', budget: 500 }]);
    for (const amount of [0, -5, 1.5, Number.NaN, '5', 1e12])
      expect(await codeOf('pay', { userId: 'u1', amount, reference: 'vote:2' })).toBe('BAD_QUESTION');
    expect(await codeOf('pay', { userId: 'u1', amount: 5 })).toBe('BAD_QUESTION');
    expect(await codeOf('pay', { userId: 'u1', amount: 5, reference: 'a b' })).toBe('BAD_QUESTION');
  });

  test('it reads of users and servers what was granted, and notifies users that there are', async () => {
    const { ask, codeOf } = open({ ...ALL, reads: ['users'] });
    expect(JSON.parse(await ask('read.user', ['u1']))).toMatchObject({ username: 'ann' });
    expect(await ask('read.user', ['nobody'])).toBe('null');
    expect(await codeOf('read.server', 's1')).toBe('NOT_GRANTED');
    expect(await codeOf('read.user', "u1' OR 1=1")).toBe('BAD_QUESTION');
    const servers = open({ reads: ['servers'] });
    expect(JSON.parse(await servers.ask('read.server', ['s1']))).toMatchObject({ name: 'World', ownerId: 'u1' });
    expect(await servers.ask('read.server', ['s2'])).toBe('null');
    expect(await servers.codeOf('read.user', 'u1')).toBe('NOT_GRANTED');
    expect(await ask('notify', [{ userId: 'u1', text: 'Hello', key: 'k' }])).toBe('true');
    expect(await ask('notify', [{ userId: 'u2', text: 'Hello', key: 'k' }])).toBe('false');
    expect(await codeOf('notify', { userId: 'u1', text: 'a\u0000b', key: 'k' })).toBe('BAD_QUESTION');
  });

  test('a flood of questions is refused until the minute is over', async () => {
    const { codeOf, logged, pass } = open(ALL);
    for (let index = 0; index < 200; index += 1) await codeOf('log', 'again');
    expect(logged).toHaveLength(120);
    expect(await codeOf('log', 'again')).toBe('TOO_MUCH');
    pass(60_000);
    expect(await codeOf('log', 'again')).toBe('answered');
  });
});
