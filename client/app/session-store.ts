import { readCookie } from '#client/lib/cookies.ts';
import type { SafeStorage } from '#client/lib/storage.ts';
import { ApiError } from '#shared/contract/client.ts';
import {
  MARKER_COOKIE,
  PRESENCE_COOKIES,
  SESSION_REFRESH_MS,
  SESSION_RETRIES,
  SESSION_RETRY_DELAY_MS,
} from '#shared/constants.ts';
import type { Boot, SessionAnswer } from './boot.ts';
import { cachedPermissions, cacheSession, forgetSession } from './session-cache.ts';
import { SESSION_TABLE, type SessionEffect, type SessionEvent, type SessionState } from './session-machine.ts';
import { isSessionAnswer, type TabChannel, type TabMessage } from './session-tabs.ts';

/** Why a session ended on its own: one of the dialogs of the specification, section 8. */
export type SessionFailure = 'unavailable' | 'session' | 'start';

export interface SessionPorts {
  readonly api: { readonly session: { get(): Promise<SessionAnswer> } };
  /** All cookies, as `document.cookie` gives them. */
  cookies(): string;
  clearCookie(name: string): void;
  readonly storage: SafeStorage;
  readonly tabs: TabChannel;
  /** Milliseconds of a monotonic clock. */
  now(): number;
  wait(ms: number): Promise<void>;
  every(ms: number, run: () => void): () => void;
  /** Whether the page is visible, and when it becomes so. */
  isVisible(): boolean;
  onVisible(run: () => void): () => void;
  /** A session failed: dialog, then the login page. */
  onFailure(why: SessionFailure): void;
  onSecondFactor(): void;
  /** A log-in or log-out here or in another tab: what the page shows belongs to another visitor. */
  onVisitor(): void;
}

export interface SessionStore {
  get(): SessionAnswer | null;
  state(): SessionState;
  subscribe(listener: () => void): () => void;
  /** Fetches the session; while a request is in flight, waits for that one instead. */
  refresh(): Promise<void>;
  /** Fetches the session after a change: a request that was already in flight is not enough. */
  forceRefresh(): Promise<void>;
  /**
   * Fetches the session after a possible change: at once if the page is visible, else when it becomes so, or with the
   * next scheduled refresh.
   */
  refreshWhenVisible(): void;
  /** Checks the cookie, fetches the session if it is unknown, then every 60 s. Out: a function that stops it. */
  start(): () => void;
  /** Whether a login counts as present for the navigation guard. */
  isPresent(): boolean;
  /** Marks the current cookies as unknown to the server: they do not count as a login. */
  disown(): void;
  permissions(): readonly string[];
}

/** A tab that hears nothing from the leading one for this long fetches by itself: the leader may be frozen. */
const SILENCE_MS = 1.5 * SESSION_REFRESH_MS;

/** Which cookies count as a login. */
interface Presence {
  /** The value of the session logic's own cookie; null: none. Other names count for the guard alone (behaviour 3.4). */
  marker(): string | null;
  isPresent(): boolean;
  disown(): void;
  /** The server knows a session: all cookies count again. */
  trust(): void;
}

function createPresence({ cookies }: Pick<SessionPorts, 'cookies'>): Presence {
  /**
   * Cookies that the server did not accept as a login, such as those of another product on the same domain. The marker
   * is our own, so it is cleared instead.
   */
  const unknown = new Set<string>();
  const isMarker = (pair: string) => pair.startsWith(`${MARKER_COOKIE}=`);
  const pairs = () =>
    cookies()
      .split('; ')
      .filter((pair) => PRESENCE_COOKIES.some((name) => pair.startsWith(`${name}=`) && pair.length > name.length + 1));
  return {
    marker: () => readCookie(cookies(), MARKER_COOKIE),
    isPresent: () => pairs().some((pair) => !unknown.has(pair)),
    disown: () => pairs().forEach((pair) => void (isMarker(pair) || unknown.add(pair))),
    trust: () => unknown.clear(),
  };
}

/** The state of the session and its answer; it changes only by the events of `SESSION_TABLE`. */
interface Machine {
  state(): SessionState;
  answer(): SessionAnswer | null;
  /** Applies an event. Out: whether the table has an entry for it in this state. */
  step(event: SessionEvent, next?: SessionAnswer | null): boolean;
  subscribe(listener: () => void): () => void;
}

/** In: ports, the answer that came with the page, and a callback for each answer of the server. */
function createMachine(
  ports: SessionPorts,
  presence: Presence,
  initial: SessionAnswer | null,
  onAnswer: () => void,
): Machine {
  const { storage } = ports;
  let state: SessionState = initial ? 'active' : 'none';
  let answer = initial;
  const listeners = new Set<() => void>();
  const effects: Readonly<Record<SessionEffect, (next: SessionAnswer | null) => void>> = {
    keep: (next) => {
      answer = next;
      onAnswer();
      presence.trust();
      if (next) cacheSession(storage, next);
    },
    forget: () => {
      answer = null;
      forgetSession(storage);
    },
    wipe: () => {
      PRESENCE_COOKIES.forEach(ports.clearCookie);
      presence.disown();
      storage.clear();
    },
    'say-session-error': () => ports.onFailure('session'),
    'say-unavailable': () => ports.onFailure('unavailable'),
    'say-start-failed': () => ports.onFailure('start'),
    'to-second-factor': () => ports.onSecondFactor(),
  };
  return {
    state: () => state,
    answer: () => answer,
    step: (event, next = null) => {
      const found = SESSION_TABLE[state][event];
      if (!found) return false;
      const [to, ...todo] = found;
      const before = answer;
      const changes = to !== state;
      state = to;
      for (const effect of todo) effects[effect](next);
      if (changes || before !== answer) for (const listener of listeners) listener();
      // After a failure the dialog comes first, then the login.
      if (before?.user_info.id !== answer?.user_info.id && (to === 'none' || to === 'active')) ports.onVisitor();
      return true;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** What came with a page: the session's answer, or the marker that belongs to none. */
type BornSession = Pick<Boot, 'session' | 'refusedMarker'>;

/**
 * The session in the browser: cached permissions first, one request at a time, every 60,000 ms, with three retries
 * 2,000 ms apart for transport failures; one tab fetches for all. What the server refused ends only the log-in that it
 * was asked about: each has a marker of its own, and one that came meanwhile is asked about again. In: ports, and what
 * came with the page.
 */
export function createSessionStore(ports: SessionPorts, born: BornSession): SessionStore {
  const { storage, tabs } = ports;
  let pendingRefresh: Promise<void> | null = null;
  let queuedRefresh: Promise<void> | null = null;
  let answeredAt = ports.now();
  /** Something may have changed while the page was hidden. */
  let stale = false;
  const presence = createPresence(ports);
  if (born.refusedMarker !== null && born.refusedMarker === presence.marker()) ports.clearCookie(MARKER_COOKIE);
  if (!born.session) presence.disown();
  const { state, answer, step, subscribe } = createMachine(ports, presence, born.session, () => {
    answeredAt = ports.now();
    stale = false;
  });

  /** Applies an event and posts it to the other tabs. */
  const publish = (message: TabMessage): void => {
    if (step(message.kind, 'answer' in message ? message.answer : null)) tabs.post(message);
  };
  /**
   * Applies an event of another tab, if the cookie agrees: the message may be late, and another login may have happened
   * since.
   */
  const receive = (message: TabMessage): void => {
    const alive = message.kind === 'answer' || message.kind === 'second-factor';
    if (alive === (presence.marker() !== null)) step(message.kind, 'answer' in message ? message.answer : null);
  };
  const endWithoutCookie = () => {
    if (state() !== 'none') publish({ kind: 'cookie-gone' });
  };

  const ask = async (): Promise<void> => {
    let asked = presence.marker();
    if (asked === null) return endWithoutCookie();
    if (!step('ask')) return;
    for (let attempt = 0; ; attempt += 1) {
      const message = await fetchSession(ports.api);
      const marker = presence.marker();
      // The cookie may be gone by now, after a log-out here or in another tab: then nothing failed.
      if (marker === null) return endWithoutCookie();
      if (marker !== asked) {
        // Another log-in came meanwhile, here or in another tab: what was answered may be about the one before.
        asked = marker;
        attempt = -1;
        continue;
      }
      if (message) return publish(message);
      if (attempt >= SESSION_RETRIES)
        return state() === 'starting' ? publish({ kind: 'gave-up' }) : void step('gave-up');
      await ports.wait(SESSION_RETRY_DELAY_MS);
    }
  };
  const refresh = () => (pendingRefresh ??= ask().finally(() => (pendingRefresh = null)));
  const forceRefresh = () => {
    if (!pendingRefresh) return refresh();
    queuedRefresh ??= pendingRefresh.then(() => {
      queuedRefresh = null;
      return refresh();
    });
    return queuedRefresh;
  };
  const refreshOnVisible = () => {
    if (presence.marker() === null) endWithoutCookie();
    else if (stale) void refresh();
  };
  const refreshOnSchedule = () => {
    if (presence.marker() === null || tabs.isLeader() || ports.now() - answeredAt >= SILENCE_MS) void refresh();
  };

  return {
    get: answer,
    state,
    isPresent: presence.isPresent,
    disown: presence.disown,
    refresh,
    forceRefresh,
    refreshWhenVisible: () => {
      if (ports.isVisible()) void forceRefresh();
      else stale = true;
    },
    subscribe,
    permissions: () => {
      const known = answer()?.permissions ?? [];
      return known.length > 0 ? known : cachedPermissions(storage);
    },
    start: () => {
      const known = answer();
      if (known) publish({ kind: 'answer', answer: known });
      else if (presence.marker() !== null) void refresh();
      else forgetSession(storage);
      const stops = [
        ports.every(SESSION_REFRESH_MS, refreshOnSchedule),
        ports.onVisible(refreshOnVisible),
        tabs.listen(receive),
      ];
      return () => stops.forEach((stop) => stop());
    },
  };
}

/**
 * Fetches the session once. Out: the server's answer as a message; null for a transient fault: no connection, a proxy's
 * page, too many requests, anything that is not the server's own answer.
 */
async function fetchSession(api: SessionPorts['api']): Promise<TabMessage | null> {
  try {
    const answer: unknown = await api.session.get();
    return isSessionAnswer(answer) ? { kind: 'answer', answer } : null;
  } catch (error) {
    if (!(error instanceof ApiError)) return null;
    const { code, status } = error;
    if (code === 'TW0_FA_BLOCKED') return { kind: 'second-factor' };
    if (status === 503) return { kind: 'unavailable' };
    // SERVER_ERROR under 200 is a body that is not ours (shared/contract/client.ts).
    const refused = status >= 500 || status === 401 || (status === 200 && code !== 'SERVER_ERROR');
    return refused ? { kind: 'refused' } : null;
  }
}

/** The cookie string that deletes a cookie visible to scripts. */
export function expireCookie(name: string): string {
  return `${name}=; Path=/; Max-Age=0; SameSite=Lax${name === MARKER_COOKIE ? '; Secure' : ''}`;
}
