import type { PaletteEntry, PaletteGroup } from '#client/lib/palette.ts';

/** A matching entry, and the matching letters of its label. */
export interface Hit {
  readonly entry: PaletteEntry;
  readonly score: number;
  /** Indexes in the label, in characters of `[...label]`. */
  readonly marks: ReadonlySet<number>;
}
export interface HitGroup {
  readonly group: PaletteGroup | 'recent';
  readonly hits: readonly Hit[];
}

/** Maximum entries of a group, and of the recent ones. */
export const GROUP_MAX = 8;
export const RECENT_MAX = 5;
/** Order of groups with equal scores, and without a query. */
const ORDER: readonly PaletteGroup[] = [
  'users',
  'staffServers',
  'orders',
  'codes',
  'queue',
  'do',
  'servers',
  'go',
  'admin',
  'settings',
];
const QUIET_ORDER: readonly PaletteGroup[] = ['servers', 'go', 'do', 'admin'];
/** Bonus for recent use: it decides between equals, not against a better match. */
const RECENT_WORTH = 6;

const SCORE = { start: 100, word: 80, inside: 55, otherStart: 45, otherInside: 30, letters: 20 } as const;

/** Folds case and accents, one letter per character, so that indexes stay the same. */
function fold(text: string): string[] {
  return [...text].map((character) => [...character.normalize('NFD')][0]?.toLowerCase() ?? character);
}
const isWordStart = (letters: readonly string[], at: number): boolean =>
  at === 0 || !/[\p{L}\p{N}]/u.test(letters[at - 1] ?? ' ');

/** First index of `part` in `letters` that `fits`; -1 for none. */
function find(letters: readonly string[], part: readonly string[], fits: (at: number) => boolean): number {
  for (let at = 0; at + part.length <= letters.length; at += 1) {
    if (fits(at) && part.every((letter, index) => letters[at + index] === letter)) return at;
  }
  return -1;
}

interface Fit {
  readonly score: number;
  readonly marks: readonly number[];
}

/** Matches the letters of `part` in order with gaps; each gap costs. */
function scattered(letters: readonly string[], part: readonly string[]): Fit | null {
  const marks: number[] = [];
  for (const letter of part) {
    const from = (marks.at(-1) ?? -1) + 1;
    const at = letters.indexOf(letter, from);
    if (at < 0) return null;
    marks.push(at);
  }
  const gaps = (marks.at(-1) ?? 0) - (marks[0] ?? 0) + 1 - marks.length;
  // Letters scattered over the whole line are chance, not a match.
  if (gaps > part.length * 2 || !isWordStart(letters, marks[0] ?? 0)) return null;
  return { score: Math.max(1, SCORE.letters - gaps * 2), marks };
}

function bestFit(entry: PaletteEntry, part: readonly string[]): Fit | null {
  const label = fold(entry.label);
  const span = (at: number) => part.map((_, index) => at + index);
  if (find(label, part, (at) => at === 0) === 0) return { score: SCORE.start, marks: span(0) };
  const word = find(label, part, (at) => isWordStart(label, at));
  if (word >= 0) return { score: SCORE.word, marks: span(word) };
  const inside = find(label, part, () => true);
  if (inside >= 0 && part.length > 1) return { score: SCORE.inside, marks: span(inside) };
  const others = [entry.hint ?? '', ...(entry.words ?? [])].map(fold);
  if (others.some((letters) => find(letters, part, (at) => isWordStart(letters, at)) >= 0))
    return { score: SCORE.otherStart, marks: [] };
  if (part.length > 2 && others.some((letters) => find(letters, part, () => true) >= 0))
    return { score: SCORE.otherInside, marks: [] };
  return part.length > 1 ? scattered(label, part) : null;
}

/** Matches an entry against a query. Every word must match somewhere; null otherwise. */
export function matchEntry(entry: PaletteEntry, query: string): Hit | null {
  const marks = new Set<number>();
  const parts = query.trim().split(/\s+/).filter(Boolean).map(fold);
  let sum = 0;
  for (const part of parts) {
    const fit = bestFit(entry, part);
    if (!fit) return null;
    sum += fit.score;
    fit.marks.forEach((at) => marks.add(at));
  }
  // Of two equal matches the shorter one wins.
  const length = Math.min(9, [...entry.label].length / 10);
  return { entry, score: parts.length === 0 ? 0 : sum / parts.length - length, marks };
}

const limited = (hits: readonly Hit[]): readonly Hit[] => hits.slice(0, GROUP_MAX);

/**
 * Ranks the entries of the palette. In: all entries, the query (a leading `>`: actions only), and the recently used
 * ids, latest first. Out: the non-empty groups. Without a query, recent entries first, then all but the quiet ones in
 * their own order; with one, the best group first, and the best entry first in it.
 */
export function rankEntries(
  entries: readonly PaletteEntry[],
  typed: string,
  recent: readonly string[],
): readonly HitGroup[] {
  const commands = typed.trimStart().startsWith('>');
  const query = commands ? typed.trimStart().slice(1) : typed;
  const pool = commands ? entries.filter(({ group }) => group === 'do') : entries;
  const hits = pool.flatMap((entry) => matchEntry(entry, query) ?? []);
  if (query.trim() === '') {
    const recentHits = recent.flatMap((id) => hits.find(({ entry }) => entry.id === id) ?? []).slice(0, RECENT_MAX);
    const others = hits.filter((hit) => !recentHits.includes(hit) && !hit.entry.quiet);
    const rest = QUIET_ORDER.map((group) => ({
      group,
      hits: limited(others.filter((hit) => hit.entry.group === group)),
    }));
    return [{ group: 'recent' as const, hits: recentHits }, ...rest].filter((group) => group.hits.length > 0);
  }
  const worth = ({ entry, score }: Hit): number =>
    score + (recent.includes(entry.id) ? RECENT_WORTH * (1 - recent.indexOf(entry.id) / recent.length) : 0);
  return ORDER.map((group) => ({
    group,
    hits: limited(hits.filter((hit) => hit.entry.group === group).toSorted((a, b) => worth(b) - worth(a))),
  }))
    .filter((group) => group.hits.length > 0)
    .toSorted((a, b) => bestOf(b) - bestOf(a));

  function bestOf(group: HitGroup): number {
    return Math.max(...group.hits.map(worth));
  }
}
