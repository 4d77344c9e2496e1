import ipaddr from 'ipaddr.js';
import type { Networks, NetworkSet } from '#server/modules/abuse/index.ts';

/** Shortest prefixes that are taken: a wider one is an accident that would name half the internet (services, vpn). */
const MIN_BITS = { 4: 8, 6: 19 } as const;
/** Characters that one line may have. */
const LINE_MAX = 200;

type Range = readonly [from: bigint, to: bigint];
interface Part {
  readonly family: 4 | 6;
  readonly value: bigint;
}
const WIDTH = { 4: 32n, 6: 128n } as const;

/**
 * Lists of networks: an address, a network (`203.0.113.0/24`) or a range (`a-b`) a line; `#` and `;` begin comments.
 * IPv4 written as IPv6 counts as IPv4.
 */
export const networks: Networks = { parse, isPublic };

function parse(text: string): { set: NetworkSet; faults: readonly number[] } {
  const v4: [number, number][] = [];
  const v6: Range[] = [];
  const faults: number[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const bare = (/^[^#;]*/.exec(line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}?` : line)?.[0] ?? '').trim();
    if (bare === '') continue;
    const fast = fastV4(bare);
    if (fast) {
      v4.push(fast);
      continue;
    }
    const range = rangeOf(bare);
    if (!range) faults.push(index + 1);
    else if (range.family === 4) v4.push([Number(range.from), Number(range.to)]);
    else v6.push([range.from, range.to]);
  }
  return { set: setOf(v4, v6), faults };
}

/** The form of nearly every line of a large list: four numbers, perhaps with a prefix. Null for anything else. */
function fastV4(text: string): [number, number] | null {
  const found = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,2}))?$/.exec(text);
  if (!found) return null;
  let value = 0;
  for (let part = 1; part <= 4; part += 1) {
    const digits = found[part] ?? '';
    const byte = Number(digits);
    // A leading zero would mean octal to some.
    if (byte > 255 || (digits.length > 1 && digits.startsWith('0'))) return null;
    value = value * 256 + byte;
  }
  const bits = found[5] === undefined ? 32 : Number(found[5]);
  if (bits > 32 || bits < MIN_BITS[4]) return null;
  const size = 2 ** (32 - bits);
  const from = Math.floor(value / size) * size;
  return [from, from + size - 1];
}

function rangeOf(text: string): { family: 4 | 6; from: bigint; to: bigint } | null {
  const [first = '', second] = text.split('-').map((part) => part.trim());
  if (second !== undefined) {
    const [from, to] = [partOf(first), partOf(second)];
    const wide =
      from &&
      to &&
      from.family === to.family &&
      from.value <= to.value &&
      to.value - from.value < 1n << (WIDTH[from.family] - BigInt(MIN_BITS[from.family]));
    return wide ? { family: from.family, from: from.value, to: to.value } : null;
  }
  const [address = '', prefix] = first.split('/');
  const part = partOf(address);
  if (!part || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return null;
  // The prefix of an IPv4 address that is written as IPv6 counts from the IPv6 address's beginning.
  const mapped = part.family === 4 && address.includes(':');
  const bits = prefix === undefined ? Number(WIDTH[part.family]) : Number(prefix) - (mapped ? 96 : 0);
  if (bits < MIN_BITS[part.family] || BigInt(bits) > WIDTH[part.family]) return null;
  const size = 1n << (WIDTH[part.family] - BigInt(bits));
  const from = (part.value / size) * size;
  return { family: part.family, from, to: from + size - 1n };
}

/** An address as a number; null for what is none. */
function partOf(text: string): Part | null {
  const plain = text.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(text);
  if (!plain || !ipaddr.isValid(text) || /%/.test(text)) return null;
  const bytes = ipaddr.process(text).toByteArray();
  return { family: bytes.length === 4 ? 4 : 6, value: bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) };
}

function setOf(v4: [number, number][], v6: Range[]): NetworkSet {
  v4.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  v6.sort((a, b) => (a[0] === b[0] ? (a[1] < b[1] ? -1 : 1) : a[0] < b[0] ? -1 : 1));
  const [short, long] = [merged(v4), merged(v6)];
  return {
    size: short.length + long.length,
    has(address) {
      const part = partOf(address);
      if (!part) return false;
      return part.family === 4 ? inside(short, Number(part.value)) : inside(long, part.value);
    },
  };
}

/** Ranges without overlaps, in order. In: ranges in order of their beginning. */
function merged<N extends number | bigint>(ranges: readonly (readonly [N, N])[]): readonly (readonly [N, N])[] {
  const result: [N, N][] = [];
  for (const [from, to] of ranges) {
    const last = result.at(-1);
    if (last && from <= last[1]) {
      if (to > last[1]) last[1] = to;
    } else result.push([from, to]);
  }
  return result;
}

function inside<N extends number | bigint>(ranges: readonly (readonly [N, N])[], value: N): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (!range) return false;
    if (value < range[0]) high = middle - 1;
    else if (value > range[1]) low = middle + 1;
    else return true;
  }
  return false;
}

function isPublic(address: string): boolean {
  return partOf(address) !== null && ipaddr.process(address).range() === 'unicast';
}
