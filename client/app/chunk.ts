import { recordedFetch } from '#client/lib/fetch.ts';
import { isServerReachable } from '#client/lib/reconnect.ts';
import { safeStorage } from '#client/lib/storage.ts';

const RELOADED_KEY = 'spawnpoint-reloaded';
const memory = safeStorage(() => sessionStorage);

/**
 * Loads a chunk. When that fails because the server has a new build, the page is loaded anew once; a second failure is
 * thrown. So is the first one where the server cannot be reached: loading anew would leave nothing of the page. In:
 * what loads it, and what asks whether the server answers.
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
    // Where it cannot be remembered, loading anew might never end.
    if (memory.getItem(RELOADED_KEY) || !(await answers()) || !memory.setItem(RELOADED_KEY, '1')) throw error;
    location.reload();
    // The page is going away: nothing after this may run.
    return new Promise<T>(() => undefined);
  }
}
