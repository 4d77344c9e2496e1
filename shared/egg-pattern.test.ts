import { describe, expect, test } from 'bun:test';
import { RE2JS } from 're2js';
import { matchPattern } from './egg-matcher.ts';
import { MAX_SIZE, parsePattern, MAX_STEPS } from './egg-pattern.ts';
import { checkRules } from './egg-rules.ts';

/** A source of numbers that gives the same ones each time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const pick = <T>(next: (below: number) => number, from: readonly [T, ...T[]]): T => from[next(from.length)] ?? from[0];

describe('S2 and T58 patterns of strangers', () => {
  // With an engine that tries every way this would outlast the universe, not only the test's limit.
  const slow = [
    '/^(a+){00000000000000000000000000000002,}$/',
    '/^(a+){2,}$/',
    '/^(a+)+$/',
    '/^(a|a)*$/',
    '/^([a-z]+)*$/',
    '/^(a*)*b$/',
    '/(x+x+)+y/',
    '/^(a{1,30}){1,30}$/',
    '/^((a|ab))+$/',
    '/^(\\w+\\s?)*$/',
    `/^${'a?'.repeat(40)}${'a'.repeat(40)}$/`,
    `/^${'(a|a)'.repeat(40)}b$/`,
    '/^(a+){2 ,}$/',
    '/^(a+){ 2,}$/',
    '/^(?:(?:a+)+)+$/',
    '/^(a+)++$/',
    '/^(((a{9}){9}){9})+$/',
    '/^(a|aa|aaa)+$/i',
    '/^(\\D+)+$/',
    '/^([^b]+)*$/u',
    `/^${'('.repeat(49)}a+${')+'.repeat(49)}$/`,
    '/^(?<x>a+)+$/',
    '/^(a+){1000}$/',
    `/^${'.*'.repeat(300)}$/`,
  ];
  for (const text of slow) {
    test(`S2 ${text.slice(0, 48)} holds nobody up on the longest value`, () => {
      for (const value of ['a'.repeat(28), 'a'.repeat(999)]) {
        for (const end of ['!', '', 'b', 'é']) {
          const fits = matchPattern(text, value + end);
          expect([true, false, null]).toContain(fits);
          const { code } = checkRules(`required|regex:${text}`, value + end, matchPattern);
          expect(fits === false).toBe(code !== null);
        }
      }
    });
  }

  test('S2 the pattern of the finding is left to the panel, and its plain form is answered', () => {
    expect(matchPattern('/^(a+){00000000000000000000000000000002,}$/', `${'a'.repeat(28)}!`)).toBeNull();
    expect(matchPattern('/^(a+){2,}$/', `${'a'.repeat(28)}!`)).toBe(false);
    expect(matchPattern('/^(a+){2,}$/', 'a'.repeat(28))).toBe(true);
  });

  test('S2 several patterns of one variable share the time of one', () => {
    const text = `/^${'[a-z]{1,30}'.repeat(5)}$/`;
    const { maxLength = 0 } = parsePattern(text) ?? {};
    expect(matchPattern(text, 'a'.repeat(maxLength), 1)).not.toBeNull();
    expect(matchPattern(text, 'a'.repeat(maxLength), 4)).toBeNull();
  });

  const foreign = [
    '/^(a)\\1$/',
    '/^(?>a+)$/',
    '/^a++$/',
    '/a*+/',
    '/[[:alpha:]]/',
    '/(?i)a/',
    '/a(/',
    '/a)/',
    'abc',
    '//x',
    '',
    '/',
    '/a/x',
    '/(?=a)/',
    '/(?!a)/',
    '/(?<=a)b/',
    '/a{,3}/',
    '/a{3/',
    '/a{02}/',
    '/a{1001}/',
    '/(a{100}){11}/',
    '/a}/',
    '/a]/',
    '/[]a]/',
    '/[a/',
    '/[z-a]/',
    '/[\\d-z]/',
    '/[a-\\d]/',
    '/\\h/',
    '/\\R/',
    '/\\K/',
    '/\\Qa\\E/',
    '/\\e/',
    '/\\cA/',
    '/\\01/',
    '/\\v/',
    '/^*/',
    '/\\b+/',
    '/*a/',
    '/(*FAIL)/',
    '/(?#x)a/',
    '/(?P=a)/',
    '/(?P>a)/',
    '/(?R)/',
    '/(?<a>x)(?<a>y)/',
    '/\\p{Greek}/',
    '/\\p{^L}/',
    '/\\x{d800}/u',
    '/\\x{100}/',
    '/\\w/u',
    '/é/i',
    '/a\u0001/',
    '/a/b/',
    '/a\\',
    '/\ud800/u',
    '/(?|a|b)/',
    '/(?-i:a)/',
    '/a{2}{3}/',
  ];
  test.each(foreign)('T58 %p is not of the syntax that every engine reads alike, and is left', (text) => {
    expect(parsePattern(text)).toBeNull();
    expect(matchPattern(text, 'a')).toBeNull();
  });
});

describe('T58 what is taken means what the engines mean', () => {
  const ATOMS = [
    'a',
    'b',
    '.',
    '\\d',
    '\\w',
    '\\s',
    '[a-c]',
    '[^a]',
    '[\\w.-]',
    '\\.',
    '-',
    '1',
    '\\x61',
    '\\-',
    '\\/',
    '_',
    '[a\\]]',
    '[.[]',
    '\\D',
    ' ',
  ] as const;
  const REPEATS = [
    '',
    '',
    '',
    '*',
    '+',
    '?',
    '{2}',
    '{1,2}',
    '{0,3}',
    '{2,}',
    '*?',
    '+?',
    '??',
    '{1}?',
    '{0}',
  ] as const;
  function some(next: (below: number) => number, depth: number): string {
    const parts = Array.from({ length: 1 + next(3) }, () => {
      const atom =
        depth > 0 && next(3) === 0 ? `${pick(next, ['(', '(?:'])}${some(next, depth - 1)})` : pick(next, ATOMS);
      return next(12) === 0 ? pick(next, ['^', '$', '\\b']) : atom + pick(next, REPEATS);
    });
    return parts.join('') + (next(6) === 0 ? `|${next(3) === 0 ? '' : some(next, 0)}` : '');
  }

  test('T58 four thousand patterns say the same as the engine of this process on short values', () => {
    const next = random(7);
    let answered = 0;
    for (let round = 0; round < 4000; round += 1) {
      const source = some(next, 2);
      const flags = pick(next, ['', '', 'i', 's', 'm']);
      const text = `/${next(2) === 0 ? `^(?:${source})$` : source}/${flags}`;
      const own = new RegExp(text.slice(1, text.lastIndexOf('/')), flags);
      for (let each = 0; each < 4; each += 1) {
        const value = Array.from({ length: next(7) }, () =>
          pick(next, ['a', 'b', 'A', '1', '.', '-', ' ', '/', '_', ']', '[']),
        ).join('');
        const fits = matchPattern(text, value);
        expect([text, fits]).not.toEqual([text, null]);
        expect([text, value, fits]).toEqual([text, value, own.test(value)]);
        answered += 1;
      }
    }
    expect(answered).toBe(16_000);
  });

  test('T58 the engine takes whatever the reader takes, and its program is never larger than was said', () => {
    const next = random(11);
    // Anything at all: most of it is refused; what is not must be what the engine reads.
    const SIGNS = [
      ...'ab0129.*+?{}()[]|^$\\-,:<>=!P#dwsbBnxpLQEkRih/',
      '{2,',
      '{10,20}',
      '(?:',
      '\\\\',
      '\\x4',
      '[^',
      '00',
      '{1000}',
      '\\p{Lu}',
      'é',
      '😀',
      '[a-',
      '(?<n>',
    ] as const;
    let taken = 0;
    for (let round = 0; round < 60_000; round += 1) {
      const source =
        next(3) === 0
          ? some(next, 3)
          : Array.from({ length: 1 + next(12) }, () => SIGNS[next(SIGNS.length)] ?? '').join('');
      const read = parsePattern(`/${source}/${pick(next, ['', 'i', 'u', 'sm'])}`);
      if (!read) continue;
      taken += 1;
      const program = RE2JS.compile(
        read.source,
        (read.caseless ? RE2JS.CASE_INSENSITIVE : 0) |
          (read.multiline ? RE2JS.MULTILINE : 0) |
          (read.dotAll ? RE2JS.DOTALL : 0),
      );
      if (program.programSize() > read.size)
        throw new Error(`/${source}/: ${program.programSize()} instead of at most ${read.size}`);
      expect(read.size).toBeLessThanOrEqual(MAX_SIZE);
      expect(read.size * read.maxLength).toBeLessThanOrEqual(MAX_STEPS);
    }
    expect(taken).toBeGreaterThan(10_000);
  });

  test('T58 without PCRE’s UTF mode signs are bytes, as in the panel; with it they are code points', () => {
    expect([
      matchPattern('/^.{2}$/', 'é'),
      matchPattern('/^.$/', 'é'),
      matchPattern('/^.$/u', 'é'),
      matchPattern('/^.$/u', '😀'),
    ]).toEqual([true, false, true, true]);
    expect([
      matchPattern('/^é+$/', 'é'),
      matchPattern('/^[a-z]+$/', 'é'),
      matchPattern('/^[^a]+$/', 'é'),
      matchPattern('/^\\pL+$/u', 'Ünal'),
    ]).toEqual([true, false, true, true]);
  });
});
