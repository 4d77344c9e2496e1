import ipaddr from 'ipaddr.js';
import type { HostKind } from './modules/panels/index.ts';

/**
 * Networks of one's own, this machine included: RFC 1918, RFC 6598 (carriers and overlay networks), RFC 4193; as
 * ipaddr.js calls them.
 */
const OWN: ReadonlySet<string> = new Set(['private', 'carrierGradeNat', 'loopback', 'uniqueLocal']);
/**
 * Where clouds answer their machines with keys and settings, outside the segment's own addresses (169.254/16,
 * fe80::/10, which are refused as such): Amazon, Google, Oracle and Scaleway over IPv6, Alibaba, Azure (also its
 * agent's wire server).
 */
const METADATA: ReadonlySet<string> = new Set(
  [
    'fd00:ec2::254',
    'fd00:ec2::253',
    'fd00:ec2::123',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    '100.100.100.200',
    '168.63.129.16',
  ].map((address) => ipaddr.parse(address).toString()),
);
/**
 * IPv6 that is given out to anybody (RFC 4291, 2.4): the rest holds old ways of writing IPv4, whose meaning systems
 * tell differently.
 */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * What stands behind an address: a private network, the internet, or something no call may ever go to (the network
 * segment's own addresses, services of the cloud, multicast, IPv4 inside IPv6, none at all). IPv4 that is mapped into
 * IPv6 counts as IPv4. In: an address as a resolver or URL has it.
 */
export function kindOfAddress(text: string): Exclude<HostKind, 'unknown'> {
  const plain = text.includes(':')
    ? ipaddr.IPv6.isValid(text) && !text.includes('%')
    : ipaddr.IPv4.isValidFourPartDecimal(text);
  // `::127.0.0.1`: the deprecated form, which the parser takes for the mapped one.
  if (!plain || /^::(?:0:)*\d+\./.test(text)) return 'forbidden';
  const address = ipaddr.process(text);
  if (METADATA.has(address.toString())) return 'forbidden';
  const range = address.range();
  if (OWN.has(range)) return 'private';
  if (range !== 'unicast') return 'forbidden';
  return address instanceof ipaddr.IPv6 && !address.match(GLOBAL) ? 'forbidden' : 'public';
}
