import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** As nice as it gets. */
const LOWEST = 19;

/**
 * Lets everybody else on the machine come first: before the processor, and with it before the disk. On Linux a thread
 * has a priority of its own, so those that run already are lowered one by one; later ones begin as the thread that
 * starts them. In: only the calling thread, or all of the process; how nice it is from now on, 1 to 19. Where the
 * system does not allow it nothing happens.
 */
export function lowerPriority(who: 'thread' | 'process', nice = LOWEST): void {
  for (const id of who === 'thread' ? [0] : [0, ...threads()]) {
    try {
      setPriority(id, nice);
    } catch {
      // It has ended meanwhile, or not every system lets it; then it has an equal share.
    }
  }
}

function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [];
  }
}
