import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BunPlugin } from 'bun';

/** Name of the language that exists in development only. */
export const PSEUDO = 'pseudo';
const ACCENTED: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...'aåbƀcçdđeéfƒgĝhĥiîjĵkķlļmɱnñoöpþqɋrŕsštţuûvṽwŵxẋyýzžAÅBƁCÇDĐEÉFƑGĜHĤIÎJĴKĶLĻMṀNÑOÖPÞQɊRŔSŠTŢUÛVṼWŴXẊYÝZŽ',
  ].flatMap((letter, at, all) => (at % 2 === 0 ? [[letter, all[at + 1] ?? letter]] : [])),
);
/** How much longer than English the longest of the real languages is. */
const LONGER = 0.4;

/**
 * A text as the pseudo language writes it: accents on every letter, 40 % longer, in brackets. What stays plain was not
 * translated; what is cut off or missing a bracket has too little room. Values in braces and tags stay as they are.
 */
export function pseudoText(text: string): string {
  const written = text
    .split(/(\{\{\w+\}\}|<[^>]*>)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(/[a-z]/gi, (letter) => ACCENTED[letter] ?? letter)));
  const letters = text.replaceAll(/\{\{\w+\}\}|<[^>]*>/g, '').length;
  return `[${written.join('')}${'~'.repeat(Math.max(0, Math.ceil(letters * LONGER) - 2))}]`;
}

/** The same of a whole file of texts. */
export function pseudoTexts<T>(texts: T): T;
export function pseudoTexts(texts: unknown): unknown {
  if (typeof texts === 'string') return pseudoText(texts);
  return Object.fromEntries(
    Object.entries(texts as object).map(([key, inner]) => [key, pseudoTexts(inner as unknown)]),
  );
}

/** Writes the pseudo language beside the real ones. In: the folder of a client build. */
export function writePseudo(clientDir: string): void {
  const [from, to] = ['en', PSEUDO].map((locale) => join(clientDir, 'locales', locale)) as [string, string];
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name.endsWith('.json'))
      writeFileSync(join(to, name), JSON.stringify(pseudoTexts(JSON.parse(readFileSync(join(from, name), 'utf8')))));
  }
}

/** What is put behind a module that lists languages. */
const ADDED: readonly (readonly [RegExp, string])[] = [
  [
    /\/shared\/i18n\/locales\.ts$/,
    `LOCALES.push('${PSEUDO}'); LOCALE_INFO.${PSEUDO} = { name: 'Pseudo', bcp47: 'en-GB', lang: 'en-XA' };`,
  ],
  [
    /\/server\/mail\/texts\.ts$/,
    `import { pseudoTexts } from '${import.meta.path}'; ALL.${PSEUDO} = pseudoTexts(ALL.en);`,
  ],
];

/**
 * Adds the pseudo language to what is built or run with it. Only `bun run dev` uses it, so that no build for production
 * knows the name.
 */
export const pseudoLocale: BunPlugin = {
  name: 'pseudo-locale',
  setup(build) {
    for (const [filter, more] of ADDED) {
      build.onLoad({ filter }, ({ path }) => ({ contents: `${readFileSync(path, 'utf8')}\n${more}\n`, loader: 'ts' }));
    }
  },
};
