import { describe, expect, test } from 'bun:test';
import { patternOf } from './egg-pattern.ts';
import { checkRules, fieldOf, uncheckedRules } from './egg-rules.ts';

/** Rules, a value that passes, a value that does not (null: none can fail), the code it fails with. */
const CASES: readonly [string, string, string | null, string?][] = [
  ['required|string|max:20', 'latest', 'x'.repeat(21)],
  ['required|string', 'a', '', 'REQUIRED'],
  ['required', 'a', '   ', 'REQUIRED'],
  ['nullable|string|between:3,5', '', 'ab'],
  ['string|min:2', '', 'a'],
  ['required|numeric', '1e3', '1.2.3'],
  ['required|integer', '-12', '1.5'],
  ['required|integer|min:1|max:40', '20', '41'],
  ['required|integer|between:1,5', '5', '6'],
  ['required|numeric|size:10', '10.0', '9'],
  ['required|string|size:3', 'äöü', 'äö'],
  ['required|boolean', '0', 'true'],
  ['required|bool', '1', '2'],
  ['required|in:true,false', 'true', 'yes'],
  ['required|in:"a,b",c', 'a,b', 'b'],
  ['required|not_in:root,admin', 'steve', 'root'],
  ['required|alpha', 'Ünal', 'a1'],
  ['required|alpha:ascii', 'Unal', 'Ünal'],
  ['required|alpha_num', 'abc123', 'a-b'],
  ['required|alpha_dash', 'my-world_1', 'my world'],
  ['required|digits:4', '1234', '123'],
  ['required|digits_between:1,5', '25565', '123456'],
  ['required|url', 'https://example.com/a?b=c', 'example.com'],
  ['required|url:https', 'https://example.com', 'ftp://example.com'],
  ['required|ip', '10.0.0.1', '10.0.0.256'],
  ['required|ip', '2001:db8::1', '2001:db8::1::2'],
  ['required|ipv6', '::ffff:10.0.0.1', '10.0.0.1'],
  ['required|port', '65535', '0'],
  ['required|email', 'a@example.com', 'a@@example.com'],
  ['required|json', '{"a":1}', '{a:1}'],
  ['required|uuid', '0193f4c7-4c7e-7abc-8def-0123456789ab', '0193'],
  ['required|starts_with:-X,-D', '-Xmx1G', 'Xmx'],
  ['required|ends_with:.jar', 'server.jar', 'server.zip'],
  ['required|lowercase', 'paper', 'Paper'],
  ['required|gt:5|numeric', '6', '5'],
  ['required|multiple_of:16|integer', '64', '65'],
  ['required|regex:/^([\\w\\d._-]+)(\\.jar)$/', 'server.jar', 'server.jar; rm -rf'],
  ['required|regex:/^(latest|\\d+\\.\\d+(\\.\\d+)?)$/|max:12', '1.21.4', '1.21.x'],
  ['required|regex:/^(?!.*\\.\\.)[\\w.\\/-]+$/i', 'worlds/main', '../etc'],
  ['required|not_regex:/[;&`$]/', 'plain', 'a;b'],
  ['required|regex:#^a/b$#', 'a/b', 'ab'],
];

describe('rules of egg variables', () => {
  for (const [rules, good, bad, code = 'RULE_FAILED'] of CASES) {
    test(`${rules}: ${JSON.stringify(good)} passes, ${JSON.stringify(bad?.slice(0, 24))} does not`, () => {
      expect(checkRules(rules, good)).toEqual({ code: null, unchecked: [] });
      if (bad !== null) expect(checkRules(rules, bad).code as string).toBe(code);
    });
  }

  test('an empty value skips every rule that is not about presence, as the panel does', () => {
    expect(checkRules('nullable|integer|min:5|in:a', '').code).toBeNull();
    expect(checkRules('filled|integer', '').code).toBe('REQUIRED');
  });

  test('a rule nobody knows is left to the panel and reported', () => {
    expect(checkRules('required|timezone|exists:eggs,id', 'x')).toEqual({ code: null, unchecked: ['timezone', 'exists:eggs,id'] });
    expect(uncheckedRules('required|regex:/^(a+)+$/|date')).toEqual(['regex:/^(a+)+$/', 'date']);
  });

  test('names of object members are no rules', () => {
    expect(checkRules('constructor|toString|__proto__', 'x').unchecked).toHaveLength(3);
  });

  test('a size rule without a number is left to the panel', () => {
    expect(checkRules('max:many', 'abc')).toEqual({ code: null, unchecked: ['max:many'] });
  });

  test('a value above the bound is refused before anything runs on it', () => {
    expect(checkRules('string', 'x'.repeat(1001)).code).toBe('TOO_LONG');
  });

  test('a pattern may hold the separator, and rules after it still count', () => {
    const rules = 'required|regex:/^a|b\\/|c$/i|max:3';
    expect(['ab', 'b/', 'xC', 'abcd', 'x', ''].map((value) => checkRules(rules, value).code)).toEqual([null, null, null, 'RULE_FAILED', 'RULE_FAILED', 'REQUIRED']);
    expect(checkRules('', 'x')).toEqual({ code: null, unchecked: [] });
  });

  test('a malformed rule breaks nothing for the players', () => {
    for (const rules of ['regex:/never closed', 'two words']) expect(checkRules(rules, 'x').code).toBeNull();
  });

  test('the form knows how to ask', () => {
    expect(fieldOf('required|in:a,b')).toEqual({ kind: 'select', options: ['a', 'b'], required: true });
    expect(fieldOf('required|boolean').kind).toBe('switch');
    expect(fieldOf('nullable|integer')).toEqual({ kind: 'number', options: [], required: false });
    expect(fieldOf('string')).toEqual({ kind: 'text', options: [], required: false });
  });
});

describe('T52 patterns that could take long', () => {
  const refused = [
    '/^(a+)+$/', '/^(a|a)*$/', '/^([a-z]+)*$/', '/^((a|ab))+$/', '/^(a*)*b$/', '/^(\\w+\\s?)*$/', '/(x+x+)+y/', '/^(a{1,30}){1,30}$/',
    `/^${'a?'.repeat(40)}${'a'.repeat(40)}$/`, `/^${'(a|a)'.repeat(40)}b$/`, '/^(a)\\1$/', '/^(?>a+)$/', '/^a++$/', '/[[:alpha:]]/', '/(?i)a/', '/a(/', 'abc', '//x', '',
  ];
  for (const text of refused) {
    test(`${text.slice(0, 40)} is not run`, () => {
      expect(patternOf(text)).toBeNull();
      expect(checkRules(`regex:${text}`, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!').code).toBeNull();
    });
  }

  test('repeats in a row bound the length of the value instead', () => {
    expect(patternOf('/^\\s*\\s*\\s*$/')?.maxLength).toBe(99);
    expect(patternOf('/^[a-z]+$/')?.maxLength).toBe(1000);
    const long = `${' '.repeat(999)}x`;
    expect(checkRules('regex:/^\\s*\\s*\\s*$/', long)).toEqual({ code: null, unchecked: ['regex:/^\\s*\\s*\\s*$/'] });
  });

  // One that tried every way through would outlast the runner's limit, and the lifetime of whoever waits.
  test('everything that is run on its longest value comes to an end', () => {
    const patterns = CASES.flatMap(([rules]) => /regex:(\/.+\/[a-z]*)/.exec(rules)?.[1] ?? []);
    expect(patterns.length).toBeGreaterThan(3);
    for (const text of [...patterns, '/\\w*\\d*$/', '/^\\w*\\w*\\w*\\w*!$/', '/(\\d{1,3}\\.){3}\\d{1,3}/', '/^(\\d{1,4}){5}$/']) {
      const pattern = patternOf(text);
      expect(pattern).not.toBeNull();
      if (pattern) for (const sign of ['a', '1', ' ', '.']) pattern.regex.test(`${sign.repeat(pattern.maxLength - 1)}\u0000`);
    }
  });
});
