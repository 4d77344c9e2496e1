import type { Store } from '../store.ts';

/** Archives that are packed or unpacked at once: each takes a core and the disk. */
const TOGETHER = 2;

/** Lets so many work at once; the others wait for their turn. */
function createLanes(most: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** What is done with the archives of servers: of each server one at a time, and so many at once of all. */
export function createArchiveWork(store: Pick<Store, 'isDeleting'>) {
  const packing = createLanes(TOGETHER);
  /** Apart from the others: a server that waits for its files stands still. */
  const unpacking = createLanes(TOGETHER);
  /** The last work of each server. */
  const working = new Map<string, Promise<void>>();

  function run(id: string, inLane: typeof packing, job: () => Promise<void>): Promise<void> {
    const mine = (working.get(id) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() =>
        inLane(async () => {
          // A server that is being deleted takes its backups along.
          if (!store.isDeleting(id)) await job();
        }),
      );
    working.set(id, mine);
    const end = () => {
      if (working.get(id) === mine) working.delete(id);
    };
    void mine.then(end, end);
    return mine;
  }
  return {
    pack: (id: string, job: () => Promise<void>) => run(id, packing, job),
    unpack: (id: string, job: () => Promise<void>) => run(id, unpacking, job),
    isBusy: (id: string) => working.has(id),
    /** Waits until the last work of a server has ended, or so many ms. */
    wait: (id: string, ms: number): Promise<unknown> =>
      Promise.race([working.get(id)?.catch(() => undefined), Bun.sleep(ms)]),
  };
}
export type ArchiveWork = ReturnType<typeof createArchiveWork>;
