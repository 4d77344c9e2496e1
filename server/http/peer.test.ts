import { describe, expect, test } from 'bun:test';
import { accessIssues } from '#shared/access.ts';
import { addressKey, peerReader } from './peer.ts';

const read = peerReader(['127.0.0.0/8', '::1/128', '10.1.0.0/16']);
const request = (headers: Record<string, string>) => new Request('http://127.0.0.1:3000/x', { headers });

describe('peer', () => {
  test('T18 forwarded headers of an untrusted peer are ignored', () => {
    const peer = read(
      request({
        host: 'panel.example.com',
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-proto': 'https',
        'cf-connecting-ip': '7.7.7.7',
      }),
      '203.0.113.9',
    );
    expect(peer.address).toBe('203.0.113.9');
    expect(peer.reached).toEqual({ protocol: 'http', hostname: 'panel.example.com', port: '' });
  });
  test('T18 behind a trusted proxy the rightmost untrusted hop counts', () => {
    const peer = read(
      request({
        'x-forwarded-for': '6.6.6.6, 203.0.113.9, 10.1.2.3',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'panel.example.com',
      }),
      '127.0.0.1',
    );
    expect(peer.address).toBe('203.0.113.9');
    expect(peer.loopback).toBe(false);
    expect(peer.reached).toEqual({ protocol: 'https', hostname: 'panel.example.com', port: '' });
    expect(peer.origin).toBe('https://panel.example.com');
  });
  test('T18 what is not an address never becomes one', () => {
    const peer = read(request({ 'x-forwarded-for': "1.2.3.4', 'x" }), '127.0.0.1');
    expect(peer.address).toBe('127.0.0.1');
    expect(read(request({ 'x-forwarded-for': '0x7f.1' }), '127.0.0.1').address).toBe('127.0.0.1');
  });
  const checked = (headers: Record<string, string>, socket: string) =>
    accessIssues(read(request(headers), socket).reached).map((issue) =>
      issue.code === 'port' ? `port ${issue.port}` : issue.code,
    );
  const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };
  test.each([
    ['a proxy in order', { ...proxied, 'x-forwarded-host': 'panel.example.com' }, '127.0.0.1', []],
    ['a proxy that keeps Host', { ...proxied, host: 'panel.example.com' }, '10.1.2.3', []],
    ['a port in Host', { ...proxied, host: 'panel.example.com:8443' }, '127.0.0.1', ['port 8443']],
    [
      'a port in the forwarded host',
      { ...proxied, 'x-forwarded-host': 'panel.example.com:8080' },
      '127.0.0.1',
      ['port 8080'],
    ],
    [
      'an allowed port in the forwarded host',
      { ...proxied, 'x-forwarded-host': 'panel.example.com:443' },
      '127.0.0.1',
      [],
    ],
    [
      'the last forwarded host counts',
      { ...proxied, 'x-forwarded-host': 'panel.example.com, 10.0.0.7:8080' },
      '127.0.0.1',
      ['domain', 'port 8080'],
    ],
    [
      'the port that a proxy listens on is not the one a visitor sees',
      { ...proxied, 'x-forwarded-host': 'panel.example.com', 'x-forwarded-port': '8080' },
      '127.0.0.1',
      [],
    ],
    ['a proxy without HTTPS', { 'x-forwarded-proto': 'http', host: 'panel.example.com' }, '127.0.0.1', ['http']],
    ['IPv6 in brackets', { ...proxied, host: '[2001:db8::1]:3000' }, '::1', ['domain', 'port 3000']],
    ['no proxy at all', { host: '203.0.113.5:3000' }, '198.51.100.1', ['http', 'domain', 'port 3000']],
  ])('S5.4 S5.5 S5.6 the way in is read from a trusted proxy: %s', (_, headers, socket, issues) =>
    expect(checked(headers, socket)).toEqual(issues),
  );
  test.each([
    { ...proxied, host: '203.0.113.5:3000', 'x-forwarded-host': 'panel.example.com' },
    {
      ...proxied,
      host: '203.0.113.5:3000',
      'x-forwarded-host': 'panel.example.com',
      forwarded: 'proto=https;host=panel.example.com',
    },
  ])('T18 S5.4 S5.5 S5.6 forged headers of an untrusted peer open nothing', (headers) => {
    for (const socket of ['198.51.100.1', '10.2.0.1', '::ffff:198.51.100.1', '2001:db8::5'])
      expect(checked(headers, socket)).toEqual(['http', 'domain', 'port 3000']);
  });
  test('a mapped IPv6 address is its IPv4 address', () => {
    expect(read(request({}), '::ffff:127.0.0.1').loopback).toBe(true);
  });
  test('rate limits count a household of IPv6 as one', () => {
    expect(addressKey('2001:db8:1:2:aaaa::1')).toBe(addressKey('2001:db8:1:2:bbbb::2'));
    expect(addressKey('2001:db8:1:3::1')).not.toBe(addressKey('2001:db8:1:2::1'));
    expect(addressKey('203.0.113.9')).toBe('203.0.113.9');
  });
});
