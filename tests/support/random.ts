/** Numbers that look random and are the same in every run of the same seed. */
export interface Random {
  /** A whole number from 0 to below `below`. */
  int(below: number): number;
  /** True with a probability from 0 to 1. */
  chance(probability: number): boolean;
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
}

/** A generator of numbers from a seed (a 32-bit counter, mixed). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (list) => {
      const found = list[int(list.length)];
      if (found === undefined) throw new Error('nothing to pick from');
      return found;
    },
  };
}

/**
 * A whole number from the environment (`MODEL_OPERATIONS`, `MODEL_SEED`), so that a night run may be longer than a
 * usual one.
 */
export function fromEnvironment(name: string, usual: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return usual;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} has to be a whole number`);
  return Number(text);
}
