import { describe, expect, test } from 'bun:test';
import { accessIssues, isProperDomain, splitHost } from './access.ts';

describe('access check', () => {
  const hosts: [string, boolean][] = [
    ['panel.example.com', true], ['example.com', true], ['example.com.', true], ['xn--bcher-kva.example', true], ['EXAMPLE.COM', true], ['a.co', true],
    ['localhost', false], ['LOCALHOST', false], ['intranet', false], ['1panel.example.com', false], ['127.0.0.1', false], ['8.8.8.8', false],
    ['192.168.1.5', false], ['10.0.0.1', false], ['172.16.0.1', false], ['172.example.com', false], ['::1', false], ['[::1]', false],
    ['2001:db8::1', false], ['example.c', false], ['.example.com', false], ['a..com', false], ['', false],
  ];
  test.each(hosts)('%s is a proper domain: %p', (host, proper) => expect(isProperDomain(host)).toBe(proper));

  test('names every issue in order', () => {
    expect(accessIssues({ protocol: 'http', hostname: '127.0.0.1', port: '3000' })).toEqual([{ code: 'http' }, { code: 'domain' }, { code: 'port', port: '3000' }]);
    expect(accessIssues({ protocol: 'https:', hostname: 'panel.example.com', port: '' })).toEqual([]);
    expect(accessIssues({ protocol: 'https', hostname: 'panel.example.com', port: '443' })).toEqual([]);
    expect(accessIssues({ protocol: 'https', hostname: 'panel.example.com', port: '8443' })).toEqual([{ code: 'port', port: '8443' }]);
  });

  test('splits a Host header', () => {
    expect(splitHost('panel.example.com:8443')).toEqual({ hostname: 'panel.example.com', port: '8443' });
    expect(splitHost('[::1]:3000')).toEqual({ hostname: '::1', port: '3000' });
    expect(splitHost('example.com')).toEqual({ hostname: 'example.com', port: '' });
  });
});
