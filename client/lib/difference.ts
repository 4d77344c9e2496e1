/** A line of a difference: what was taken away, what is new. */
export interface DifferenceLine {
  readonly change: 'removed' | 'added';
  readonly text: string;
}

/** Pairs of lines that are compared at most: more would keep a page waiting that the server writes. */
const PAIRS_MAX = 250_000;

/**
 * What changed from some lines to others, in their order: the longest lines in common stay. Where too much lies between
 * the first and the last difference to compare each with each, all of that was taken away, and all of it is new.
 */
export function differenceOfLines(before: readonly string[], after: readonly string[]): DifferenceLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(before.length, after.length) - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const removed = (text: string): DifferenceLine => ({ change: 'removed', text });
  const added = (text: string): DifferenceLine => ({ change: 'added', text });
  if (old.length * now.length > PAIRS_MAX) return [...old.map(removed), ...now.map(added)];
  const common = commonEnds(old, now);
  const lines: DifferenceLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [left, right] = [old[i], now[j]];
    if (left !== undefined && left === right) {
      i += 1;
      j += 1;
    } else if (right === undefined || (left !== undefined && common(i + 1, j) >= common(i, j + 1))) {
      lines.push(removed(left ?? ''));
      i += 1;
    } else {
      lines.push(added(right));
      j += 1;
    }
  }
  return lines;
}

/** How many lines both lists have in common from a pair of places on, in their order. */
function commonEnds(old: readonly string[], now: readonly string[]): (i: number, j: number) => number {
  const lengths: number[][] = Array.from({ length: old.length + 1 }, () => Array<number>(now.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row) row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  return at;
}
