/** Takes turns at something that must not be done too often at once. */
export interface ConcurrencyLimit {
  /** Does the work when it is its turn; null, and nothing done, where too many wait already. */
  take<T>(work: () => Promise<T>): Promise<T | null>;
}

/** In: how many work at once, and how many more may wait for them. */
export function createConcurrencyLimit(atOnce: number, waiting: number): ConcurrencyLimit {
  let working = 0;
  const queue: (() => void)[] = [];
  return {
    async take(work) {
      if (working >= atOnce) {
        if (queue.length >= waiting) return null;
        // Who ends hands the place over, so that nobody who comes later takes it.
        await new Promise<void>((go) => void queue.push(go));
      } else working += 1;
      try {
        return await work();
      } finally {
        const next = queue.shift();
        if (next) next();
        else working -= 1;
      }
    },
  };
}
