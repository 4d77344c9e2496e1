import { describe, expect, test } from 'bun:test';
import { addressKey, peerReader } from './peer.ts';

const read = peerReader(['127.0.0.0/8', '::1/128', '10.1.0.0/16']);
const request = (headers: Record<string, string>) => new Request('http://127.0.0.1:3000/x', { headers });

describe('peer', () => {
  test('T18 forwarded headers of an untrusted peer are ignored', () => {
    const peer = read(request({ host: 'panel.example.com', 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'https', 'cf-connecting-ip': '7.7.7.7' }), '203.0.113.9');
    expect(peer.address).toBe('203.0.113.9');
    expect(peer.reached).toEqual({ protocol: 'http', hostname: 'panel.example.com', port: '' });
  });
  test('T18 behind a trusted proxy the rightmost untrusted hop counts', () => {
    const peer = read(request({ 'x-forwarded-for': '6.6.6.6, 203.0.113.9, 10.1.2.3', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'panel.example.com' }), '127.0.0.1');
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
  test('a mapped IPv6 address is its IPv4 address', () => {
    expect(read(request({}), '::ffff:127.0.0.1').loopback).toBe(true);
  });
  test('rate limits count a household of IPv6 as one', () => {
    expect(addressKey('2001:db8:1:2:aaaa::1')).toBe(addressKey('2001:db8:1:2:bbbb::2'));
    expect(addressKey('2001:db8:1:3::1')).not.toBe(addressKey('2001:db8:1:2::1'));
    expect(addressKey('203.0.113.9')).toBe('203.0.113.9');
  });
});
