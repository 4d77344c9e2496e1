const FLAG = 'spawnpoint-reloaded';

/**
 * Loads a chunk. When that fails because the server has a new build, the page is loaded anew once; a second failure is thrown.
 */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    const loaded = await load();
    sessionStorage.removeItem(FLAG);
    return loaded;
  } catch (error) {
    if (sessionStorage.getItem(FLAG)) throw error;
    sessionStorage.setItem(FLAG, '1');
    location.reload();
    // The page is going away: nothing after this may run.
    return new Promise<T>(() => undefined);
  }
}
