import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';

const ROOT = join(import.meta.dir, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** The text of a document of `shared/specification`. */
export const document = (name: string): string => read(`shared/specification/${name}.md`);

/** A numbered rule of a document. */
export interface Rule {
  readonly id: string;
  /** No test has to be named after it: it says what surrounds the rules, or what is not built yet. */
  readonly background: boolean;
}

/** The rules of a document: paragraphs that begin with their number in bold, and with `(background…)` after it. */
export function rulesIn(text: string, prefix = ''): Rule[] {
  return [...text.matchAll(/^\*\*([\w. ]+)\*\*( \(background)?/gm)].map(([, id = '', background]) => ({
    id: prefix + id,
    background: background !== undefined,
  }));
}

/** The headings of a document that are cited by number (`## 5. Servers`) or by name (`## smtp`). */
export function sectionsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/^## (?:(\d+)\. .*|(\w+))$/gm)].map(([, number, name]) => number ?? name ?? ''));
}

/** Every rule that a test can be named after. */
export const RULES: readonly Rule[] = [
  ...rulesIn(document('behaviour'), 'behaviour '),
  ...rulesIn(document('attacks')),
  ...rulesIn(document('findings')),
];

/** What may be cited: rules, sections, and the sentences of the shell. */
export const KNOWN: ReadonlySet<string> = new Set([
  ...RULES.map(({ id }) => id),
  ...rulesIn(document('product')).map(({ id }) => id),
  ...['behaviour', 'architecture', 'panel', 'product', 'services'].flatMap((name) => {
    const as = { panel: 'panel contract', product: 'specification' }[name] ?? name;
    return [...sectionsIn(document(name))].map((section) => `${as} ${section}`);
  }),
]);

const NUMBERS = String.raw`\d+(?:\.\d+)?(?:(?:,? and|,| to|, to) \d+(?:\.\d+)?)*`;
const SECTIONED = new RegExp(
  String.raw`\b(behaviour|panel contract|architecture|specification),? (?:\(?sections? )?(${NUMBERS})`,
  'g',
);

/** What a text cites, as `KNOWN` names it. Lines of a comment are read as one. */
export function citedIn(source: string): string[] {
  const text = source.replaceAll(/\n\s*(?:\*|\/\/) ?/g, ' ');
  const numbered = [...text.matchAll(SECTIONED)].flatMap(([, name = '', numbers = '']) =>
    (numbers.match(/\d+(?:\.\d+)?/g) ?? []).map((number) => `${name} ${number}`),
  );
  const attacks = [...text.matchAll(/\battacks (T\d+(?:(?:,? and|,| to) T?\d+)*)/g)].flatMap(([, list = '']) =>
    (list.match(/\d+/g) ?? []).map((number) => `T${number}`),
  );
  const sentences = [...text.matchAll(/\bspecification, (S\d+\.\d+)/g)].map(([, id = '']) => id);
  const comments = source.match(/\/\*\*[^]*?\*\/|\/\/ .*/g)?.join('\n') ?? '';
  const services = [...comments.matchAll(/[(;] ?services, (\w+)/g)].map(([, name = '']) => `services ${name}`);
  return [...numbered, ...attacks, ...sentences, ...services];
}

/** The numbers of decisions that a text cites, in their order: `decision 036`, `decisions 029 and 077`. */
export function decisionsCitedIn(source: string): string[] {
  const text = source.replaceAll(/\n\s*(?:\*|\/\/) ?/g, ' ');
  return [...text.matchAll(/\b[Dd]ecisions? (\d{3}(?:(?:,? and|,) \d{3})*)/g)].flatMap(
    ([, numbers = '']) => numbers.match(/\d{3}/g) ?? [],
  );
}

/** The numbers that names of tests begin with: `T13`, `S3`, `S2.1`, `E6`, `P2`, `Screen 7`. */
export function namedIn(source: string): string[] {
  const names = [...source.matchAll(/\b(?:test|it|describe)(?:\.\w+)*(?:\([^;]*?\))?\(\s*(['"`])(.*?)\1/gs)].map(
    ([, , name = '']) => name,
  );
  return names.flatMap((name) => {
    const [start = ''] = /^(?:(?:[TSEP]\d+(?:\.\d+)?|Screen \d+),? )+/.exec(name) ?? [];
    return start.match(/[TSEP]\d+(?:\.\d+)?|Screen \d+/g) ?? [];
  });
}

/** Files of the repository by pattern, with their text. */
export function filesOf(...patterns: readonly string[]): { path: string; text: string }[] {
  return patterns
    .flatMap((pattern) => [...new Glob(pattern).scanSync(ROOT)])
    .filter((path) => !path.includes('node_modules'))
    .toSorted()
    .map((path) => ({ path, text: read(path) }));
}
