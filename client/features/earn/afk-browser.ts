import { safeStorage } from '#client/lib/storage.ts';
import { withAdCheck } from '#client/lib/with-ad-check.ts';
import type { Api } from '#shared/contract/index.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import { WIRE } from '#shared/contract/wire.ts';
import type { AfkDeps, StreamEvents } from './afk-types.ts';

/** Where this tab remembers its session; a tab keeps it over a reload, another tab does not see it. */
const MEMORY_KEY = 'afk_session';
/** A browser that forbids it costs the resuming after a reload, nothing else. */
const tab = safeStorage(() => sessionStorage);
const STREAM_EVENTS = ['challenge', 'paid', 'ended'] as const;

/**
 * What the AFK engine needs, made of the browser. It may be made on the server, where the engine is never opened and
 * there is no API client.
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
 * The server-sent events of a session. The platform's own reconnecting is not used: it cannot tell a session that ended
 * from a line that dropped, so every failure is reported and the engine asks.
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
 * Keeps the screen on while held. The browser lets go whenever the page is hidden, so it is asked again when it is
 * seen.
 */
function createScreenWakeLock(): AfkDeps['screen'] {
  let wanted = false;
  let held: WakeLockSentinel | null = null;
  const ask = async (): Promise<void> => {
    if (!wanted || held !== null || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
    try {
      const lock = await navigator.wakeLock.request('screen');
      if (!wanted) return void lock.release();
      held = lock;
      lock.addEventListener('release', () => {
        held = null;
      });
    } catch {
      // Refused, on low battery for instance: the page goes on without it.
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
      void held?.release();
      held = null;
    },
  };
}

/** Calls back when the network is there again or the page is looked at: the moments at which trying again is worth it. */
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
