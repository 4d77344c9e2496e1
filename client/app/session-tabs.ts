import { STORAGE } from '#shared/constants.ts';
import type { SafeStorage } from '#client/lib/storage.ts';
import type { SessionAnswer } from './boot.ts';

/** Messages between the tabs of one browser about the session. */
export type TabMessage =
  | { readonly kind: 'answer'; readonly answer: SessionAnswer }
  /** The session failed in one tab, or waits for the second factor. */
  | { readonly kind: 'refused' | 'unavailable' | 'second-factor' | 'gave-up' }
  /** The cookie has vanished: a log-out. */
  | { readonly kind: 'cookie-gone' };

/** The channel between the tabs. */
export interface TabChannel {
  /** Whether this tab fetches the session for all of them. Without locks every tab does. */
  isLeader(): boolean;
  post(message: TabMessage): void;
  listen(listener: (message: TabMessage) => void): () => void;
}

export interface TabPorts {
  /** `navigator.locks`; null where the browser has none. */
  readonly locks: Pick<LockManager, 'request'> | null;
  /** A BroadcastChannel; null where the browser has none. */
  readonly channel: Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'removeEventListener'> | null;
  readonly storage: SafeStorage;
  /** Listens to other tabs' writes to local storage: key and new value, null when removed. */
  onStorage(listener: (key: string | null, value: string | null) => void): () => void;
}

const LOCK_NAME = 'spawnpoint-session';

/**
 * One poller for all tabs, and messages to each of them. The tab that holds the lock leads; the lock passes on when
 * that tab closes or crashes. Messages go over a BroadcastChannel or, without one, through an item of local storage
 * that exists only while the other tabs are notified.
 */
export function createTabChannel({ locks, channel, storage, onStorage }: TabPorts): TabChannel {
  let leading = locks === null;
  // Held until the tab is gone: the promise never settles. A browser that refuses locks counts as one without.
  const lead = () => {
    leading = true;
    return new Promise<void>(() => undefined);
  };
  locks?.request(LOCK_NAME, lead).catch(lead);
  let posted = 0;
  return {
    isLeader: () => leading,
    post: (message) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target: it never leaves our origin
      if (channel) return channel.postMessage(message);
      // Two equal values in a row would fire no event.
      storage.setItem(STORAGE.news, JSON.stringify({ ...message, n: (posted += 1) }));
      storage.removeItem(STORAGE.news);
    },
    listen: (listener) => {
      const onMessage = ({ data }: MessageEvent) => isTabMessage(data) && listener(data);
      channel?.addEventListener('message', onMessage);
      const stop = onStorage((key, value) => {
        if (key !== STORAGE.news || !value || channel) return;
        const message = parsed(value);
        if (isTabMessage(message)) listener(message);
      });
      return () => {
        channel?.removeEventListener('message', onMessage);
        stop();
      };
    },
  };
}

/** Messages need not be ours: a page of an older build, or the host's own script, may use the same name. */
function isTabMessage(data: unknown): data is TabMessage {
  if (typeof data !== 'object' || data === null || !('kind' in data)) return false;
  if (data.kind === 'answer') return 'answer' in data && isSessionAnswer(data.answer);
  return ['refused', 'unavailable', 'second-factor', 'gave-up', 'cookie-gone'].includes(String(data.kind));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whether something has the shape of a session answer (specification, section 3). */
export function isSessionAnswer(data: unknown): data is SessionAnswer {
  if (typeof data !== 'object' || data === null) return false;
  const isObject = (name: string) =>
    name in data && typeof data[name as keyof typeof data] === 'object' && data[name as keyof typeof data] !== null;
  return (
    isObject('user_info') &&
    isObject('billing') &&
    isObject('stats') &&
    'permissions' in data &&
    Array.isArray(data.permissions)
  );
}
