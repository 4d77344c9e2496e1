import { recordedFetch } from '#client/lib/fetch.ts';
import { isServerReachable } from '#client/lib/reconnect.ts';
import { safeStorage } from '#client/lib/storage.ts';

const RELOADED_KEY = 'spawnpoint-reloaded';
const memory = safeStorage(() => sessionStorage);

/**
 * Loads a chunk. If that fails because the server has a new build, reloads the page once; a second failure is thrown.
 * So is the first one when the server is unreachable: a reload would lose the page. In: the loader, and a check whether
 * the server is reachable.
 */
export async function loadChunk<T>(
  load: () => Promise<T>,
  answers: () => Promise<boolean> = () => isServerReachable(recordedFetch),
): Promise<T> {
  try {
    const loaded = await load();
    memory.removeItem(RELOADED_KEY);
    return loaded;
  } catch (error) {
    // If it cannot be remembered, reloading might never end.
    if (memory.getItem(RELOADED_KEY) || !(await answers()) || !memory.setItem(RELOADED_KEY, '1')) throw error;
    location.reload();
    // The page is reloading: nothing after this may run.
    return new Promise<T>(() => undefined);
  }
}
