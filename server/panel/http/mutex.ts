import type { PanelTimer } from './timer.ts';

/** Lets one caller in at a time, in the order in which they came. */
export interface Mutex {
  /** Waits to be let in, at most some ms. Out: what releases the mutex; null where that did not come in time. */
  acquire(patienceMs: number): Promise<(() => void) | null>;
}

/** Makes a mutex that nobody has. */
export function createMutex(timer: PanelTimer): Mutex {
  let locked = false;
  const waiting: ((release: () => void) => void)[] = [];
  function release(): void {
    const next = waiting.shift();
    if (next) next(releaseOnce());
    else locked = false;
  }
  /** Releases it the first time it is called. */
  function releaseOnce(): () => void {
    let over = false;
    return () => {
      if (over) return;
      over = true;
      release();
    };
  }
  return {
    acquire(patienceMs) {
      if (!locked) {
        locked = true;
        return Promise.resolve(releaseOnce());
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
