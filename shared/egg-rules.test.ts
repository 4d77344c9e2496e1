import { describe, expect, test } from 'bun:test';
import { matchPattern } from './egg-matcher.ts';
import { checkRules as check, formFieldFor, uncheckedRules } from './egg-rules.ts';

/** As the server checks: with the engine of patterns. */
const checkRules = (rules: string, value: string) => check(rules, value, matchPattern);

/** Rules, a value that passes, a value that does not (null: none can fail), the code it fails with. */
const CASES: readonly [string, string, string | null, string?][] = [
  ['required|string|max:20', 'latest', 'x'.repeat(21)],
  ['required|string', 'a', '', 'REQUIRED'],
  ['required', 'a', '   ', 'REQUIRED'],
  ['nullable|string|between:3,5', '', 'ab'],
  ['string|min:2', 'ab', 'a'],
  ['string|max:20', 'a', '', 'REQUIRED'],
  ['max:20', '', 'x'.repeat(21)],
  ['min:2', 'ab', '', 'REQUIRED'],
  ['boolean', '1', '', 'REQUIRED'],
  ['in:,a', '', 'b'],
  ['sometimes|string', 'a', '', 'REQUIRED'],
  ['nullable|numeric|max:3', '2', '4'],
  ['nullable|string|max:3', '444', '4444'],
  ['required|decimal:1,2', '1.25', '1.255'],
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
  ['required|regex:/^[\\w.\\/-]+$/i', 'worlds/main', '<etc>'],
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

  test('an empty value skips every rule that is not about presence where nothing is allowed, as the panel does', () => {
    expect(checkRules('nullable|integer|min:5|in:a', '').code).toBeNull();
    expect(checkRules('filled|integer', '').code).toBe('REQUIRED');
  });

  test('a rule nobody knows is left to the panel and reported', () => {
    expect(checkRules('required|timezone|exists:eggs,id', 'x')).toEqual({
      code: null,
      unchecked: ['timezone', 'exists:eggs,id'],
    });
    expect(uncheckedRules('required|regex:/^(?!a)b$/|date')).toEqual(['regex:/^(?!a)b$/', 'date']);
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
    expect(['ab', 'b/', 'xC', 'abcd', 'x', ''].map((value) => checkRules(rules, value).code)).toEqual([
      null,
      null,
      null,
      'RULE_FAILED',
      'RULE_FAILED',
      'REQUIRED',
    ]);
    expect(checkRules('', 'x')).toEqual({ code: null, unchecked: [] });
  });

  test('a malformed rule breaks nothing for the players', () => {
    for (const rules of ['regex:/never closed', 'two words']) expect(checkRules(rules, 'x').code).toBeNull();
  });

  test('the form knows how to ask', () => {
    expect(formFieldFor('required|in:a,b')).toEqual({ kind: 'select', options: ['a', 'b'], required: true });
    expect(formFieldFor('required|boolean').kind).toBe('switch');
    expect(formFieldFor('nullable|integer')).toEqual({ kind: 'number', options: [], required: false });
    expect(formFieldFor('string')).toEqual({ kind: 'text', options: [], required: false });
  });
});

test('without the engine patterns are left, and the other rules still count', () => {
  expect(check('required|regex:/^a$/|max:3', 'bbb')).toEqual({ code: null, unchecked: ['regex:/^a$/'] });
  expect(check('required|regex:/^a$/|max:3', 'bbbb').code).toBe('RULE_FAILED');
});

test('more patterns than any egg has are left to the panel, all of them', () => {
  const rules = Array.from({ length: 5 }, (_, at) => `regex:/^a{${at},}$/`).join('|');
  expect(checkRules(rules, 'b').unchecked).toHaveLength(5);
  expect(uncheckedRules(rules)).toHaveLength(5);
});
