import { ApiError } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';
import { MARKER_COOKIE, PRESENCE_COOKIES, SESSION_REFRESH_MS, SESSION_RETRIES, SESSION_RETRY_DELAY_MS, STORAGE } from '#shared/constants.ts';
import type { SessionAnswer } from './boot.ts';

/** States of the session in the browser (specification, section 4). */
export type SessionState = 'none' | 'starting' | 'active' | 'refreshing' | 'failed' | 'blocked';
/** Why a session ended on its own: the dialog of the specification, section 8, follows. */
export type SessionFailure = 'unavailable' | 'expired' | 'start';
export type SessionEvent = 'cookie' | 'cookie-gone' | 'answer' | 'refused' | 'server-error' | 'second-factor' | 'refresh' | 'gave-up';

/** The machine as a table: state, event, next state. What is not listed changes nothing. */
export const SESSION_TABLE: Readonly<Record<SessionState, Partial<Record<SessionEvent, SessionState>>>> = {
  none: { cookie: 'starting' },
  starting: { answer: 'active', 'cookie-gone': 'none', refused: 'failed', 'server-error': 'failed', 'gave-up': 'failed', 'second-factor': 'blocked' },
  active: { refresh: 'refreshing', 'cookie-gone': 'none' },
  refreshing: { answer: 'active', 'cookie-gone': 'none', refused: 'failed', 'server-error': 'failed', 'gave-up': 'active', 'second-factor': 'blocked' },
  failed: { cookie: 'starting', 'cookie-gone': 'none' },
  blocked: { refresh: 'refreshing', 'cookie-gone': 'none' },
};

export interface SessionPorts {
  readonly api: Api;
  /** All cookies, as `document.cookie` gives them. */
  cookies(): string;
  clearCookie(name: string): void;
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear'>;
  wait(ms: number): Promise<void>;
  /** A session failed: dialog, then the login page. */
  onFailure(why: SessionFailure): void;
  onSecondFactor(): void;
}

export interface SessionStore {
  get(): SessionAnswer | null;
  state(): SessionState;
  subscribe(listener: () => void): () => void;
  /** Asks the server now; a call while another runs joins it. */
  refresh(): Promise<void>;
  /** Looks at the cookie, asks at once, then every 60 s. Gives back the function that stops it. */
  start(): () => void;
  present(): boolean;
  permissions(): readonly string[];
}

/**
 * The session in the browser: cached permissions first, one request at a time, every 60,000 ms, three more tries 2,000 ms apart for
 * failures that are not the server's word. In: ports, and what the page was born with.
 */
export function createSessionStore(ports: SessionPorts, born: SessionAnswer | null): SessionStore {
  let state: SessionState = born ? 'active' : 'none';
  let answer = born;
  let running: Promise<void> | null = null;
  const listeners = new Set<() => void>();
  const present = () => PRESENCE_COOKIES.some((name) => new RegExp(`(?:^|; )${name}=[^;]`).test(ports.cookies()));

  const set = (event: SessionEvent, next?: SessionAnswer | null) => {
    state = SESSION_TABLE[state][event] ?? state;
    if (next !== undefined) answer = next;
    for (const listener of listeners) listener();
  };
  const cleanUp = () => {
    set('cookie-gone', null);
  };
  const fail = (event: SessionEvent, why: SessionFailure) => {
    set(event, null);
    for (const name of PRESENCE_COOKIES) ports.clearCookie(name);
    ports.storage.clear();
    ports.onFailure(why);
  };

  const ask = async (): Promise<void> => {
    if (!present()) {
      if (answer || state !== 'none') cleanUp();
      return;
    }
    const starting = answer === null;
    set(starting ? 'cookie' : 'refresh');
    for (let attempt = 0; ; attempt += 1) {
      try {
        const next = await ports.api.session.get();
        remember(ports.storage, next);
        set('answer', next);
        return;
      } catch (error) {
        const verdict = judge(error);
        if (verdict === 'second-factor') {
          set('second-factor', null);
          ports.onSecondFactor();
          return;
        }
        if (verdict === 'expired' || verdict === 'unavailable') {
          // The cookie may have gone meanwhile (a log-out in another tab): then nothing failed.
          if (present()) fail(verdict === 'expired' ? 'refused' : 'server-error', verdict);
          else cleanUp();
          return;
        }
        if (attempt >= SESSION_RETRIES) {
          if (starting) fail('gave-up', 'start');
          else set('gave-up');
          return;
        }
        await ports.wait(SESSION_RETRY_DELAY_MS);
      }
    }
  };

  const refresh = () => (running ??= ask().finally(() => (running = null)));
  return {
    get: () => answer,
    state: () => state,
    present,
    refresh,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    permissions: () => answer?.permissions ?? cachedPermissions(ports.storage),
    start: () => {
      if (born) remember(ports.storage, born);
      else if (present()) void refresh();
      const timer = setInterval(() => void refresh(), SESSION_REFRESH_MS);
      return () => clearInterval(timer);
    },
  };
}

/** What an error of the session call means: the server's word (expired, second factor), the server's fault (5xx), or a passing fault. */
function judge(error: unknown): 'second-factor' | 'expired' | 'unavailable' | 'passing' {
  if (!(error instanceof ApiError)) return 'passing';
  if (error.code === 'TW0_FA_BLOCKED') return 'second-factor';
  if (error.status >= 500) return 'unavailable';
  return error.status === 200 || error.status === 401 ? 'expired' : 'passing';
}

/** Caches each non-null entry of user_info, billing and stats under its own key, permissions under theirs (specification, section 3). */
function remember(storage: SessionPorts['storage'], answer: SessionAnswer): void {
  try {
    for (const part of [answer.user_info, answer.billing, answer.stats]) {
      for (const [key, value] of Object.entries(part)) if (value !== null) storage.setItem(key, String(value));
    }
    storage.setItem(STORAGE.permissions, JSON.stringify(answer.permissions));
  } catch {
    // A full or forbidden storage only costs the cache.
  }
}

function cachedPermissions(storage: SessionPorts['storage']): readonly string[] {
  try {
    const list: unknown = JSON.parse(storage.getItem(STORAGE.permissions) ?? '[]');
    return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}

/** Deletes a cookie that scripts may read. */
export function expireCookie(name: string): string {
  return `${name}=; Path=/; Max-Age=0; SameSite=Lax${name === MARKER_COOKIE ? '; Secure' : ''}`;
}
