import type { BoardKey, NodeChange } from './ports.ts';

/**
 * Scores are counted in a tree of base four: on level 0 a node is a score, on each level above it holds four of the one
 * below. A rank is then the sum of the at most three larger brothers on each level: 60 rows at the very most, whatever
 * the number of people.
 */
export const BASE = 4;
/** Levels until one node holds every score up to the largest amount of credits (10¹² < 4²⁰). */
export const LEVELS = 20;

/** The node of a score on a level. */
export function nodeOf(score: number, level: number): number {
  return Math.floor(score / BASE ** level);
}

/** Collects how the numbers of the nodes change; where a score moves a little, all but the lowest levels cancel out. */
export class Counts {
  readonly #changes = new Map<string, NodeChange>();

  /** One person more (1) or less (-1) with a score. */
  add(board: BoardKey, score: number, by: 1 | -1): void {
    for (let level = 0; level < LEVELS; level += 1) {
      const node = nodeOf(score, level);
      const key = `${board}/${level}/${node}`;
      this.#changes.set(key, { board, level, node, by: (this.#changes.get(key)?.by ?? 0) + by });
    }
  }
  /** What is left to write. */
  changes(): NodeChange[] {
    return [...this.#changes.values()].filter(({ by }) => by !== 0);
  }
}
