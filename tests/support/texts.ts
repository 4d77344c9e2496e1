import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assembleTexts } from '#shared/i18n/area-texts.ts';
import { LOCALE_INFO, type Locale } from '#shared/i18n/locales.ts';
import { NAMESPACES, type Namespace } from '#shared/i18n/namespaces.ts';
import { isNode, lineOf, literalOf, nameOf, templateParts, walk, type SyntaxNode } from './sources.ts';

const ROOT = join(import.meta.dir, '../..');
const PLURAL = /_(zero|one|two|few|many|other)$/;

/** The areas that have a file of texts. */
export const AREA_FILES: readonly string[] = readdirSync(join(ROOT, 'locales/en/areas')).map((name) =>
  name.slice(0, -5),
);
/** All namespaces that pages load: the files, and one for each area. */
export const ALL_NAMESPACES: readonly Namespace[] = [
  ...NAMESPACES,
  ...AREA_FILES.map((area) => `areas/${area}` as const),
];

function readTexts(locale: Locale, name: string): object {
  const path = join(ROOT, 'locales', locale, `${name}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as object) : {};
}

const assembled = new Map<Locale, Readonly<Record<string, object>>>();
/** All texts of a language by namespace, as pages load them. */
export function localeTexts(locale: Locale): Readonly<Record<string, object>> {
  let texts = assembled.get(locale);
  if (!texts) {
    const files = Object.fromEntries(NAMESPACES.map((ns) => [ns, readTexts(locale, ns)]));
    const areas = Object.fromEntries(AREA_FILES.map((area) => [area, readTexts(locale, `areas/${area}`)]));
    assembled.set(locale, (texts = assembleTexts(files, areas)));
  }
  return texts;
}

/** The texts of a namespace in one language by their dotted keys; none where the file is missing. */
export const textsOf = (locale: Locale, ns: string): Record<string, string> => flatten(localeTexts(locale)[ns] ?? {});

/** Texts by their dotted keys. */
export function flatten(value: unknown, prefix = ''): Record<string, string> {
  if (typeof value === 'string') return { [prefix]: value };
  return Object.assign(
    {},
    ...Object.entries(value as object).map(([key, inner]) => flatten(inner, prefix ? `${prefix}.${key}` : key)),
  ) as Record<string, string>;
}

/** A key without its plural form, as the code asks for it. */
export const baseOf = (key: string): string => key.replace(PLURAL, '');
/** The plural form that a key ends with, or null. */
export const formOf = (key: string): string | null => PLURAL.exec(key)?.[1] ?? null;
/** The forms that a language's numbers take, by the rules of its locale. */
export const formsOf = (locale: Locale): readonly string[] =>
  new Intl.PluralRules(LOCALE_INFO[locale].bcp47).resolvedOptions().pluralCategories;
/** Names in `{{braces}}`, sorted. */
export const namesIn = (text: string): string[] =>
  [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((found) => found[1] ?? '').sort();
/** Tags such as `<b>` and `</b>`, sorted. */
export const tagsIn = (text: string): string[] => [...text.matchAll(/<\/?\w+\s*\/?>/g)].map(([tag]) => tag).sort();

/** What a file says that may be a key: whole strings, and templates as patterns (`state.${x}` → /^state.[^.]+$/). */
export interface Words {
  /** Namespaces that the file names in `useT('x')`, `TFn<'x'>` and the like. */
  readonly namespaces: ReadonlySet<string>;
  readonly strings: ReadonlySet<string>;
  readonly templates: readonly RegExp[];
}

const TRANSLATORS = new Set(['useT', 'useLooseT', 't', 'loose', 'getFixedT']);

/** Reads the strings of a file that may name texts. */
export function wordsIn(tree: SyntaxNode): Words {
  const namespaces = new Set<string>();
  const strings = new Set<string>();
  const templates: RegExp[] = [];
  walk(tree, (node, above) => {
    if (node.type === 'ImportDeclaration') return false;
    const text = literalOf(node);
    if (text !== null) {
      strings.add(text);
      const parent = above[0];
      if (isNode(parent, 'CallExpression') && TRANSLATORS.has(nameOf(parent.callee))) namespaces.add(text);
      if (isNode(parent, 'TSLiteralType') && above.some((each) => ['TFn', 'KeyOf'].includes(nameOf(each))))
        namespaces.add(text);
    }
    const parts = templateParts(node);
    if (parts && parts.length > 1 && /^[a-z][A-Za-z]*\./.test(parts[0] ?? ''))
      templates.push(
        new RegExp(`^${parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^.]+')}$`),
      );
    return true;
  });
  return { namespaces, strings, templates };
}

/** Attributes whose value a person reads or hears. */
const SPOKEN = new Set([
  'title',
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'aria-valuetext',
  'placeholder',
  'alt',
  'label',
  'text',
  'hint',
  'heading',
  'summary',
  'caption',
]);
const LETTERS = /\p{L}{2}/u;

/**
 * Text for people that stands in a component: between tags, in the attributes that are read or heard, and in what these
 * choose from.
 */
export function literalTexts(tree: SyntaxNode): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = [];
  const note = (node: unknown) => {
    if (isNode(node, 'ConditionalExpression')) return [node.consequent, node.alternate].forEach(note);
    if (isNode(node, 'LogicalExpression')) return [node.left, node.right].forEach(note);
    if (isNode(node, 'JSXExpressionContainer')) return note(node.expression);
    if (!isNode(node, 'StringLiteral', 'JSXText', 'TemplateLiteral')) return;
    for (const text of templateParts(node) ?? [literalOf(node) ?? ''])
      if (LETTERS.test(text)) found.push({ line: lineOf(node), text: text.trim() });
  };
  walk(tree, (node) => {
    if (isNode(node, 'JSXElement', 'JSXFragment') && Array.isArray(node.children)) node.children.forEach(note);
    if (node.type === 'JSXAttribute' && SPOKEN.has(nameOf(node.name))) note(node.value);
  });
  return found;
}
