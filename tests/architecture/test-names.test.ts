import { describe, expect, test } from 'bun:test';
import {
  isNode,
  lineOf,
  literalOf,
  nameOf,
  readTests,
  templateParts,
  walk,
  type SyntaxNode,
} from '../support/sources.ts';

const TESTS = ['server', 'client', 'shared', 'scripts'].map((folder) => `${folder}/**/*.test.{ts,tsx}`);
/** Numbers of rules and words of the specification, before the sentence. */
const NUMBERS = /^(?:(?:[STEPFC]\d+(?:\.\d+)?|Screen \d+|Words)\s+)+/;
/** Beginnings of what lacks its subject: verbs, participles, conjunctions and prepositions that no sentence begins with. */
const FRAGMENT = new RegExp(
  `^(${[
    'is are was has have does do can may must cannot goes takes says keeps makes asks shows counts puts gives needs',
    'finds works tells begins refuses leaves stands pays passes renders compresses drops logs moves sorts stops',
    'starts opens closes ends hides runs writes returns renews reaches hands lets knows falls chooses picks becomes',
    'offers buys sees belongs carries hangs blocks builds uses comes come fetches slides supports throws rejects',
    'accepts handles should drawn found broken installed released rejected suspended deleted queued',
    'busy asleep warned reminded switched cancelled and or nor also but per than of to',
  ]
    .join(' ')
    .replaceAll(' ', '|')})\\b`,
);
/** What the glossary keeps out of names, as far as no second meaning is in use. */
const PRIVATE =
  /\b(told|tells (?:of|that|what|how)|letters?|anew|wish(?:es)?|nudges?|put right|deeds?|settles?|people|audit trail|takes? back|taken back|gives? back|held)\b/;
const LEAST_WORDS = 4;
const MOST_CHARACTERS = 120;

/** The parts of the callee, the nearest name last: `test.skipIf(x)` is `test`, `test.each(rows)` as well. */
function rootOf(node: unknown): string {
  if (isNode(node, 'CallExpression')) return rootOf(node.callee);
  if (isNode(node, 'TaggedTemplateExpression')) return rootOf(node.tag);
  if (isNode(node, 'MemberExpression')) return rootOf(node.object);
  return nameOf(node);
}

/** The name that a call gives to a test, `…` for the values of a template; null for every other node. */
function testName(node: SyntaxNode): string | null {
  if (node.type !== 'CallExpression' || !Array.isArray(node.arguments) || rootOf(node.callee) !== 'test') return null;
  const [first, body] = node.arguments as readonly unknown[];
  if (!isNode(first) || body === undefined) return null;
  if (isNode(node.callee, 'MemberExpression') && nameOf(node.callee) !== 'skipIf') return null;
  return literalOf(first) ?? templateParts(first)?.join('…') ?? null;
}

/** What keeps a name from being a sentence; null if nothing a machine can tell does. */
function faultOf(name: string): string | null {
  const sentence = name.replace(NUMBERS, '');
  if (sentence.split(/\s+/).length < LEAST_WORDS) return `fewer than ${LEAST_WORDS} words`;
  if (name.length > MOST_CHARACTERS) return `more than ${MOST_CHARACTERS} characters`;
  const first = FRAGMENT.exec(sentence);
  if (first) return `no subject before “${first[0]}”`;
  const word = PRIVATE.exec(sentence);
  return word ? `the private word “${word[0]}”` : null;
}

describe('names of tests', () => {
  test('every name of a test is a sentence that begins with its subject, in the words of the glossary', () => {
    const found: string[] = [];
    let names = 0;
    for (const { path, tree } of readTests([...TESTS, 'tests/**/*.{ts,tsx}'])) {
      walk(tree, (node) => {
        const name = testName(node);
        if (name === null) return true;
        names += 1;
        const fault = faultOf(name);
        if (fault) found.push(`${path}:${lineOf(node)} ${fault}: ${name}`);
        return false;
      });
    }
    expect(found).toEqual([]);
    expect(names).toBeGreaterThan(2000);
  }, 300_000);

  test.each([
    ['no such box', 'fewer than 4 words'],
    ['S2.11 come from the schema alone', 'no subject before “come”'],
    [`a sentence ${'that goes on '.repeat(9)}`, 'more than 120 characters'],
    ['T3 refuses a code that has expired', 'no subject before “refuses”'],
    ['of two codes one wins', 'no subject before “of”'],
    ['a reward is taken back by staff', 'the private word “taken back”'],
    ['T3 a code that has expired is refused and counts as a try', null],
  ])('the check says of the name “%s”: %p', (name, fault) => {
    expect(faultOf(name)).toBe(fault);
  });
});
