import { safeStorage } from '#client/lib/storage.ts';
import { withAdCheck } from '#client/lib/with-ad-check.ts';
import type { Api } from '#shared/contract/index.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import { WIRE } from '#shared/contract/wire.ts';
import type { AfkDeps, StreamEvents } from './afk-types.ts';

/** Key of this tab's session in session storage: it survives a reload, and other tabs do not see it. */
const MEMORY_KEY = 'afk_session';
/** Without session storage only resuming after a reload is lost. */
const tab = safeStorage(() => sessionStorage);
const STREAM_EVENTS = ['challenge', 'paid', 'ended'] as const;

/**
 * The AFK engine's dependencies in the browser. Also created on the server, where there is no API client and the engine
 * is never opened.
 */
export function browserDeps(api: Api | null): AfkDeps {
  const calls = async (): Promise<Api['afk']> => {
    if (!api) throw new Error('no ApiProvider above the AFK page');
    return api.afk;
  };
  return {
    calls: {
      state: async () => (await calls()).state(),
      start: async () => {
        const afk = await calls();
        return api ? withAdCheck(api, () => afk.start()) : afk.start();
      },
      beat: async (id, challenge) => (await calls()).beat({ params: { id }, body: { challenge } }),
      stop: async () => (await calls()).stop(),
    },
    openStream,
    memory: {
      read: () => tab.getItem(MEMORY_KEY),
      write: (id) => void tab.setItem(MEMORY_KEY, id),
      clear: () => tab.removeItem(MEMORY_KEY),
    },
    timers: {
      set: (run, ms) => window.setTimeout(run, ms),
      clear: (handle) => {
        if (typeof handle === 'number') window.clearTimeout(handle);
      },
    },
    now: () => performance.now(),
    random: () => Math.random(),
    screen: createScreenWakeLock(),
  };
}

/**
 * The server-sent events of a session. EventSource's own reconnection is not used: it cannot tell an ended session from
 * a dropped connection, so every failure is reported and the engine asks the server.
 */
function openStream(id: string, on: StreamEvents): () => void {
  const source = new EventSource(endpointUrl(WIRE.afk.stream, { params: { id } }));
  for (const name of STREAM_EVENTS) {
    source.addEventListener(name, (event) => on.event(name, parse(event.data)));
  }
  source.addEventListener('error', () => {
    source.close();
    on.lost();
  });
  return () => source.close();
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

/**
 * Keeps the screen on. The browser releases the lock whenever the page is hidden, so it is requested again when the
 * page becomes visible.
 */
function createScreenWakeLock(): AfkDeps['screen'] {
  let wanted = false;
  let sentinel: WakeLockSentinel | null = null;
  const ask = async (): Promise<void> => {
    if (!wanted || sentinel !== null || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
    try {
      const lock = await navigator.wakeLock.request('screen');
      if (!wanted) return void lock.release();
      sentinel = lock;
      lock.addEventListener('release', () => {
        sentinel = null;
      });
    } catch {
      // Refused, for instance on low battery: the page goes on without it.
    }
  };
  const onVisible = (): void => void ask();
  return {
    keepOn: () => {
      wanted = true;
      document.addEventListener('visibilitychange', onVisible);
      void ask();
    },
    release: () => {
      wanted = false;
      document.removeEventListener('visibilitychange', onVisible);
      void sentinel?.release();
      sentinel = null;
    },
  };
}

/** Calls back when the network returns or the page becomes visible: the moments at which retrying makes sense. */
export function onOnlineOrVisible(listener: () => void): () => void {
  const onVisible = (): void => {
    if (document.visibilityState === 'visible') listener();
  };
  window.addEventListener('online', listener);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('online', listener);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
