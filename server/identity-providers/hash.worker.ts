import { lowerPriority } from '../low-priority.ts';
import type { HashAnswer, HashQuestion } from './hash-threads.ts';

/** A thread that hashes and checks passwords, one after the other, and gives way to the one that answers everybody. */
declare const self: {
  addEventListener(type: 'message', listener: (event: MessageEvent<HashQuestion>) => void): void;
  postMessage(message: HashAnswer): void;
};

// A step below the thread that answers, but not the last one: somebody waits for this log-in, and on a machine that is
// full of other programs the lowest priority would get next to nothing.
lowerPriority('thread', 5);

self.addEventListener('message', ({ data }) => {
  try {
    self.postMessage({
      answer:
        'stored' in data
          ? Bun.password.verifySync(data.password, data.stored)
          : Bun.password.hashSync(data.password, data.how),
    });
  } catch (error) {
    self.postMessage({ fault: error instanceof Error ? error.message : String(error) });
  }
});
