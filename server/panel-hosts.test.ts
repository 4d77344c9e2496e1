import { expect, test } from 'bun:test';
import { createKindOfHost, createPanelFetch } from './panel-hosts.ts';

const names: Record<string, string[]> = {};
const resolve = (host: string) => (names[host] ? Promise.resolve(names[host]) : Promise.reject(new Error('ENOTFOUND')));
const kindOf = createKindOfHost(resolve);

test.each([
  ['10.0.0.1', 'private'],
  ['172.31.255.1', 'private'],
  ['192.168.1.1', 'private'],
  ['127.0.0.1', 'private'],
  ['::1', 'private'],
  ['fd12::1', 'private'],
  ['100.64.0.1', 'private'],
  ['::ffff:10.0.0.1', 'private'],
  ['93.184.215.14', 'public'],
  ['2606:2800:21f:cb07::1', 'public'],
  ['172.32.0.1', 'public'],
  ['169.254.169.254', 'forbidden'],
  ['fe80::1', 'forbidden'],
  ['0.0.0.0', 'forbidden'],
  ['::', 'forbidden'],
  ['224.0.0.1', 'forbidden'],
  ['255.255.255.255', 'forbidden'],
  ['::ffff:169.254.169.254', 'forbidden'],
  // Where clouds keep their machines' keys, inside private networks and on the internet.
  ['fd00:ec2::254', 'forbidden'],
  ['100.100.100.200', 'forbidden'],
  ['::ffff:100.100.100.200', 'forbidden'],
  ['::ffff:6464:64c8', 'forbidden'],
  ['168.63.129.16', 'forbidden'],
  ['fd20:ce::254', 'forbidden'],
  // IPv4 in other writings, and what nobody is given.
  ['::127.0.0.1', 'forbidden'],
  ['::7f00:1', 'forbidden'],
  ['0:0:0:0:0:0:127.0.0.1', 'forbidden'],
  ['64:ff9b::7f00:1', 'forbidden'],
  ['2002:7f00:1::1', 'forbidden'],
  ['4000::1', 'forbidden'],
  ['192.0.0.192', 'forbidden'],
  ['240.0.0.1', 'forbidden'],
  ['fec0::1', 'forbidden'],
] as const)('T26 the host %s is %s', async (address, kind) => {
  expect(await kindOf(address)).toBe(kind);
  names['a.example'] = [address];
  expect(await kindOf('a.example')).toBe(kind);
});

test('T26 the worst address behind a name counts; a name without any is unknown', async () => {
  names['mixed.example'] = ['10.0.0.1', '93.184.215.14'];
  names['worse.example'] = ['10.0.0.1', '93.184.215.14', '169.254.169.254'];
  names['none.example'] = [];
  expect(await Promise.all(['mixed.example', 'worse.example', 'none.example', 'gone.example'].map(kindOf))).toEqual([
    'public',
    'forbidden',
    'unknown',
    'unknown',
  ]);
});

const asked: { url: string; redirect: string | undefined; host: string | null; name: string | undefined }[] = [];
const fetch = createPanelFetch(resolve, (url, init) => {
  asked.push({ url, redirect: init.redirect, host: new Headers(init.headers).get('host'), name: init.tls?.serverName });
  return Promise.resolve(new Response('{}'));
});
const outcome = (url: string) =>
  fetch(url, { headers: { Authorization: 'Bearer key' } }).then(
    () => 'asked',
    (error: Error & { code?: string }) => error.code ?? error.name,
  );

test('T26 a rebound DNS name that led inside when it was saved gets no key once it leads elsewhere', async () => {
  asked.length = 0;
  names['panel.example'] = ['10.0.0.5'];
  expect(await outcome('http://panel.example/api')).toBe('asked');
  for (const [address, code] of [
    ['93.184.215.14', 'ERR_TLS_REQUIRED'],
    ['169.254.169.254', 'ERR_TLS_REQUIRED'],
  ] as const) {
    names['panel.example'] = [address];
    expect(await outcome('http://panel.example/api')).toBe(code);
  }
  delete names['panel.example'];
  expect(await outcome('http://panel.example/api')).toBe('ENOTFOUND');
  expect(asked).toEqual([
    { url: 'http://10.0.0.5/api', redirect: 'manual', host: 'panel.example', name: 'panel.example' },
  ]);
});

test('S11 a panel’s call goes to the verified address, under the panel’s own name, over TLS too', async () => {
  asked.length = 0;
  let turn = 0;
  const moving = createPanelFetch(
    () => Promise.resolve((turn += 1) === 1 ? ['93.184.215.14'] : ['169.254.169.254']),
    (url, init) => {
      asked.push({
        url,
        redirect: init.redirect,
        host: new Headers(init.headers).get('host'),
        name: init.tls?.serverName,
      });
      return Promise.resolve(new Response('{}'));
    },
  );
  await moving('https://panel.example:8443/api/x?y=1', {});
  expect(asked).toEqual([
    {
      url: 'https://93.184.215.14:8443/api/x?y=1',
      redirect: 'manual',
      host: 'panel.example:8443',
      name: 'panel.example',
    },
  ]);
  expect(await moving('https://panel.example:8443/api', {}).catch((error: Error) => error.name)).toBe(
    'OutboundRefused',
  );
  expect([turn, asked.length]).toEqual([2, 1]);
});

test.each([
  'https://169.254.169.254/',
  'https://[fd00:ec2::254]/',
  'https://100.100.100.200/',
  'https://168.63.129.16/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:169.254.169.254]/',
  'https://0/',
])('S11 nothing is sent to %s, with encryption either', async (url) => {
  asked.length = 0;
  expect(await outcome(url)).toBe('OutboundRefused');
  expect(asked).toEqual([]);
});

test('S11 a name that is not resolved in time ends with the caller’s limit', async () => {
  const stuck = createPanelFetch(
    () => new Promise(() => undefined),
    () => Promise.resolve(new Response('')),
  );
  const giveUp = new AbortController();
  const call = stuck('https://panel.example/', { signal: giveUp.signal }).catch((error: Error) => error.name);
  giveUp.abort();
  expect(await call).toBe('AbortError');
});
