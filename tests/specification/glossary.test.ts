import { describe, expect, test } from 'bun:test';
import { basename } from 'node:path';
import { isNode, lineOf, nameOf, readSources, walk, type SyntaxNode } from '#tests/support/sources.ts';
import { document, filesOf } from './documents.ts';

const GLOSSARY = document('glossary');

/** The words that a line of the glossary forbids: `Names …: \`told`, `judge`.` */
function forbidden(line: string): string[] {
  const [, list = ''] = new RegExp(`^${line}:\\s([^]*?)\\n\\n?(?=[A-Z]|$)`, 'm').exec(`${GLOSSARY}\n`) ?? [];
  return [...list.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
}

/** The words a name is made of: `drawDeed` → draw, deed; `staff-actions.tsx` → staff, actions. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/\.\w+$/, '')
    .split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .filter(Boolean);
}

const hasWord = (name: string, word: string): boolean =>
  ` ${wordsOf(name).join(' ')} `.includes(` ${wordsOf(word).join(' ')} `);

/** Names that a file exports, declared in place. */
const exportsIn = (text: string): string[] =>
  [...text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm)].map(([, name = '']) => name);

/** The name of a function where it is declared: its own, or that of the constant or property that it is; '' for others. */
function functionName(node: SyntaxNode, [above]: readonly SyntaxNode[]): string {
  switch (node.type) {
    case 'FunctionDeclaration':
      return nameOf(node.id);
    case 'ObjectMethod':
    case 'ClassMethod':
    case 'TSMethodSignature':
      return nameOf(node.key);
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return isNode(above, 'VariableDeclarator', 'ObjectProperty', 'ClassProperty')
        ? nameOf(above.id ?? above.key)
        : '';
    default:
      return '';
  }
}

/** Every text of a file, however deep. */
function textsIn(node: unknown): string[] {
  if (typeof node === 'string') return [node];
  return typeof node === 'object' && node !== null ? Object.values(node).flatMap(textsIn) : [];
}

describe('the glossary', () => {
  const code = forbidden('Names of files and of what they export');
  const verbs = forbidden('Names of functions never begin with');
  const texts = forbidden('English texts');

  test('the search finds a word in a name, and only as a word', () => {
    expect(wordsOf('drawDeed')).toEqual(['draw', 'deed']);
    expect(hasWord('letInOnce', 'letIn')).toBe(true);
    expect(hasWord('staff-deeds.tsx', 'deeds')).toBe(true);
    expect(hasWord('unsettled', 'settle')).toBe(false);
    expect(exportsIn('export async function judge() {}\nexport const told = 1;')).toEqual(['judge', 'told']);
    expect(code.length).toBeGreaterThan(4);
    expect(verbs.length).toBeGreaterThan(10);
    expect(texts.length).toBeGreaterThan(20);
  });

  test('no function is named by how it feels instead of what it does', () => {
    const found: string[] = [];
    const beginnings = verbs.map((verb) => ` ${wordsOf(verb).join(' ')} `);
    // Parsing them all takes longer than all else here: only those where such a word begins a name, not a word of a comment.
    const mayBegin = new RegExp(
      `\\b(?:${verbs.map((verb) => `[${verb[0]}${verb[0]?.toUpperCase()}]${verb.slice(1)}`).join('|')})(?=[A-Z\\d(=:<?]| =)`,
    );
    const sources = readSources(['{client,server,shared,scripts}/**/*.{ts,tsx}'], (text) => mayBegin.test(text));
    for (const { path, tree } of sources)
      walk(tree, (node, above) => {
        const name = functionName(node, above);
        if (name === '') return;
        const words = ` ${wordsOf(name).join(' ')} `;
        if (beginnings.some((each) => words.startsWith(each))) found.push(`${path}:${lineOf(node)} ${name}`);
      });
    expect(found).toEqual([]);
  }, 300_000);

  test('no file and no export is called what a concept must not be called', () => {
    const found = filesOf('{client,server,shared,scripts,tests}/**/*.{ts,tsx}').flatMap(({ path, text }) =>
      [basename(path), ...exportsIn(text)].flatMap((name) =>
        code.filter((word) => hasWord(name, word)).map((word) => `${path}: ${name} (${word})`),
      ),
    );
    expect(found).toEqual([]);
  });

  test('no English text says what a concept must not be called', () => {
    const found = filesOf('locales/en/**/*.json').flatMap(({ path, text }) =>
      textsIn(JSON.parse(text)).flatMap((each) =>
        texts
          .filter((word) => new RegExp(`(?<![\\p{L}])${word}(?![\\p{L}])`, 'iu').test(each))
          .map((word) => `${path}: ${each} (${word})`),
      ),
    );
    expect(found).toEqual([]);
  });

  test('every row of its tables has a term, a meaning, a place and what it is not', () => {
    const rows = GLOSSARY.split('\n').filter((line) => line.startsWith('|') && !/^\|\s*(?:-|Term)/.test(line));
    expect(rows.length).toBeGreaterThan(25);
    expect(rows.filter((row) => row.split('|').length !== 6)).toEqual([]);
  });
});
