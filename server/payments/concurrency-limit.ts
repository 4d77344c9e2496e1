/** Bounds how much work runs at once, and how much more may wait. */
export interface ConcurrencyLimit {
  /** Runs the work as soon as there is a free place; null, and nothing done, where too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T | null>;
}

/** In: how many work at once, and how many more may wait for them. */
export function createConcurrencyLimit(atOnce: number, waiting: number): ConcurrencyLimit {
  let working = 0;
  const queue: (() => void)[] = [];
  return {
    async run(work) {
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
