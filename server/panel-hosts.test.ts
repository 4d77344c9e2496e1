import { expect, test } from 'bun:test';
import { createKindOfHost, createPanelFetch } from './panel-hosts.ts';

const names: Record<string, string[]> = {};
const kindOf = createKindOfHost((host) => (names[host] ? Promise.resolve(names[host]) : Promise.reject(new Error('ENOTFOUND'))));

test.each([
  ['10.0.0.1', 'private'], ['172.31.255.1', 'private'], ['192.168.1.1', 'private'], ['127.0.0.1', 'private'], ['::1', 'private'], ['fd12::1', 'private'], ['100.64.0.1', 'private'], ['::ffff:10.0.0.1', 'private'],
  ['93.184.215.14', 'public'], ['2606:2800:21f:cb07::1', 'public'], ['172.32.0.1', 'public'],
  ['169.254.169.254', 'forbidden'], ['fe80::1', 'forbidden'], ['0.0.0.0', 'forbidden'], ['::', 'forbidden'], ['224.0.0.1', 'forbidden'], ['255.255.255.255', 'forbidden'], ['::ffff:169.254.169.254', 'forbidden'],
] as const)('T26 %s is %s', async (address, kind) => {
  expect(await kindOf(address)).toBe(kind);
  names['a.example'] = [address];
  expect(await kindOf('a.example')).toBe(kind);
});

test('T26 the worst address behind a name counts; a name without any is unknown', async () => {
  names['mixed.example'] = ['10.0.0.1', '93.184.215.14'];
  names['worse.example'] = ['10.0.0.1', '93.184.215.14', '169.254.169.254'];
  names['none.example'] = [];
  expect(await Promise.all(['mixed.example', 'worse.example', 'none.example', 'gone.example'].map(kindOf))).toEqual(['public', 'forbidden', 'unknown', 'unknown']);
});

test('T26 DNS rebinding: a name that led inside when it was saved gets no key once it leads elsewhere', async () => {
  const asked: { url: string; redirect: string | undefined }[] = [];
  const fetch = createPanelFetch(kindOf, (url, init) => {
    asked.push({ url, redirect: init.redirect });
    return Promise.resolve(new Response('{}'));
  });
  const outcome = (url: string) => fetch(url, { headers: { Authorization: 'Bearer key' } }).then(() => 'asked', (error: Error & { code?: string }) => error.code);
  names['panel.example'] = ['10.0.0.5'];
  expect(await outcome('http://panel.example/api')).toBe('asked');
  for (const [address, code] of [['93.184.215.14', 'ERR_TLS_REQUIRED'], ['169.254.169.254', 'ERR_TLS_REQUIRED']] as const) {
    names['panel.example'] = [address];
    expect(await outcome('http://panel.example/api')).toBe(code);
  }
  delete names['panel.example'];
  expect(await outcome('http://panel.example/api')).toBe('ENOTFOUND');
  // Over TLS the certificate decides, and the name is not looked up twice.
  expect(await outcome('https://panel.example/api')).toBe('asked');
  expect(asked).toEqual([{ url: 'http://panel.example/api', redirect: 'manual' }, { url: 'https://panel.example/api', redirect: 'manual' }]);
});
