import { describe, expect, test } from 'bun:test';
import { accessIssues, isProperDomain, splitHost } from './access.ts';

/** Hosts, and whether each is a proper domain by the specification, section 5. */
const HOSTS: [host: string, proper: boolean, why: string][] = [
  ['panel.example.com', true, 'a domain'],
  ['example.com', true, 'the shortest form'],
  ['EXAMPLE.COM', true, 'case does not count'],
  ['a.co', true, 'a final label of two'],
  ['example.com.', true, 'the dot of the root'],
  ['xn--bcher-kva.example', true, 'punycode'],
  ['panel.xn--p1ai', true, 'punycode at the end'],
  ['host-1.example.com', true, 'digits inside'],
  ['a1.b2.example', true, 'digits inside'],
  ['localhost', false, 'localhost'],
  ['LOCALHOST', false, 'localhost'],
  ['localhost.', false, 'localhost of the root'],
  ['intranet', false, 'no dot'],
  ['intranet.', false, 'no dot but that of the root'],
  ['1panel.example.com', false, 'begins with a digit'],
  ['127.0.0.1', false, 'IPv4'],
  ['8.8.8.8', false, 'IPv4'],
  ['8.8.8.8.', false, 'IPv4 with a dot'],
  ['2130706433', false, 'IPv4 as one number'],
  ['0x7f.0.0.1', false, 'IPv4 in hexadecimal'],
  ['0177.0.0.1', false, 'IPv4 in octal'],
  ['192.168.1.5', false, '192.168.'],
  ['192.168.example.com', false, '192.168.'],
  ['10.0.0.1', false, '10.'],
  ['10.example.com', false, '10.'],
  ['172.16.0.1', false, '172.'],
  ['172.217.0.1', false, '172., whatever follows'],
  ['172.example.com', false, '172.'],
  ['::1', false, 'IPv6'],
  ['[::1]', false, 'IPv6'],
  ['2001:db8::1', false, 'IPv6'],
  ['[2001:db8::1]', false, 'IPv6'],
  ['::ffff:127.0.0.1', false, 'IPv6 with dots'],
  ['[::ffff:8.8.8.8]', false, 'IPv6 with dots'],
  ['fe80::1%eth0', false, 'IPv6 with a zone'],
  ['example.c', false, 'a final label of one'],
  ['example.c.', false, 'a final label of one'],
  ['.example.com', false, 'an empty label'],
  ['a..com', false, 'an empty label'],
  ['example.com..', false, 'two dots at the end'],
  ['.', false, 'a dot'],
  ['', false, 'nothing'],
];

describe('access check', () => {
  test.each(HOSTS)('S5.5 %s: a proper domain is %p (%s)', (host, proper) => {
    expect(isProperDomain(host)).toBe(proper);
    expect(accessIssues({ protocol: 'https:', hostname: host, port: '' })).toEqual(proper ? [] : [{ code: 'domain' }]);
  });

  test('S5.4 only the protocol HTTPS passes', () => {
    for (const protocol of ['http', 'http:', 'ws:', 'ftp:', '', 'httpss'])
      expect(accessIssues({ protocol, hostname: 'panel.example.com', port: '' })).toEqual([{ code: 'http' }]);
    for (const protocol of ['https', 'https:'])
      expect(accessIssues({ protocol, hostname: 'panel.example.com', port: '' })).toEqual([]);
  });

  test('S5.6 S9.4 80, 443 and none are the ports that pass', () => {
    for (const port of ['', '80', '443'])
      expect(accessIssues({ protocol: 'https', hostname: 'panel.example.com', port })).toEqual([]);
    for (const port of ['8080', '8443', '3000', '8', '4433', '0', '0443', '80a']) {
      expect(accessIssues({ protocol: 'https', hostname: 'panel.example.com', port })).toEqual([
        { code: 'port', port },
      ]);
    }
  });

  test('S8.6 the check names every issue, in the order in which they are shown', () => {
    expect(accessIssues({ protocol: 'http', hostname: '127.0.0.1', port: '3000' })).toEqual([
      { code: 'http' },
      { code: 'domain' },
      { code: 'port', port: '3000' },
    ]);
  });

  test.each([
    ['panel.example.com', 'panel.example.com', ''],
    ['panel.example.com:8443', 'panel.example.com', '8443'],
    ['panel.example.com:', 'panel.example.com', ''],
    ['[::1]:3000', '::1', '3000'],
    ['[2001:db8::1]', '2001:db8::1', ''],
    [' example.com:80 ', 'example.com', '80'],
  ])('a Host header is split: %p', (host, hostname, port) => expect(splitHost(host)).toEqual({ hostname, port }));

  test.each(['a:b:c', 'example.com:80:90', 'example.com:x', '::1', 'https://example.com'])(
    'S5.5 a Host header that is none is no domain: %p',
    (host) => {
      expect(isProperDomain(splitHost(host).hostname)).toBe(false);
    },
  );
});
