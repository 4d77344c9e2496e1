import type { PanelTimer } from './timer.ts';

/** One after the other, in the order in which they came. */
export interface Turns {
  /** Waits for the turn, at most some ms. Out: what ends it; null where it did not come in time. */
  take(patienceMs: number): Promise<(() => void) | null>;
}

/** Makes a line of one place. */
export function createTurns(timer: PanelTimer): Turns {
  let taken = false;
  const waiting: ((leave: () => void) => void)[] = [];
  function leave(): void {
    const next = waiting.shift();
    if (next) next(once());
    else taken = false;
  }
  /** Ends a turn the first time it is called. */
  function once(): () => void {
    let over = false;
    return () => {
      if (over) return;
      over = true;
      leave();
    };
  }
  return {
    take(patienceMs) {
      if (!taken) {
        taken = true;
        return Promise.resolve(once());
      }
      return new Promise((resolve) => {
        const cancel = timer.after(patienceMs, () => {
          waiting.splice(waiting.indexOf(mine), 1);
          resolve(null);
        });
        const mine = (end: () => void): void => {
          cancel();
          resolve(end);
        };
        waiting.push(mine);
      });
    },
  };
}
