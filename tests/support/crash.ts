import type { Tx, UnitOfWork } from '#server/modules/tx.ts';

/** What stands for the end of the process in the middle of a command. */
export class Crash extends Error {
  constructor() {
    super('crash');
    this.name = 'Crash';
  }
}

/** A unit of work whose transactions break off after some calls to their repositories. */
export interface CrashingUow extends UnitOfWork {
  /**
   * The next writing transaction breaks off before its `calls`-th call (1 = before the first one), or before its commit
   * where it makes no more.
   */
  arm(calls: number): void;
  /** Back to normal. Gives whether a transaction broke off since the last time. */
  disarm(): boolean;
}

/** Wraps a unit of work so that tests can break off a transaction at any statement (attacks T10). */
export function crashing(inner: UnitOfWork): CrashingUow {
  let left: number | null = null;
  let crashed = false;
  const step = () => {
    if (left === null || --left > 0) return;
    left = null;
    crashed = true;
    throw new Crash();
  };
  return {
    run: (work) =>
      inner.run(async (tx) => {
        const value = await work(left === null ? tx : steps(tx, step));
        step();
        return value;
      }),
    read: (work) => inner.read(work),
    arm(calls) {
      left = calls;
      crashed = false;
    },
    disarm() {
      const broken = crashed;
      left = null;
      crashed = false;
      return broken;
    },
  };
}

/** The transaction, with `step` called before each method of each repository. */
function steps(tx: Tx, step: () => void): Tx {
  return new Proxy(tx, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name);
      if (typeof part !== 'object' || part === null) return part;
      return new Proxy(part, {
        get(repo, method) {
          const own: unknown = Reflect.get(repo, method);
          if (typeof own !== 'function') return own;
          return (...args: unknown[]): unknown => {
            step();
            return Reflect.apply(own, repo, args);
          };
        },
      });
    },
  });
}
