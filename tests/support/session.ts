import type { SessionAnswer } from '#client/app/boot.ts';
import { createSessionStore, type SessionFailure, type SessionStore } from '#client/app/session-store.ts';
import { createTabChannel, type TabMessage, type TabPorts } from '#client/app/session-tabs.ts';
import { safeStorage, type SafeStorage } from '#client/lib/storage.ts';

/** A session answer with some of everything. */
export const ANSWER: SessionAnswer = {
  user_info: { id: 'u1', username: 'mirela', nothing: null, verified: true },
  billing: { credits: 5 },
  stats: { servers: 1 },
  permissions: ['admin.egg.list'],
};
/** The same for another user. */
export const OTHER: SessionAnswer = { ...ANSWER, user_info: { id: 'u2', username: 'tobi' }, permissions: [] };

/** A local storage in memory. `room`: how many characters fit. */
export function memoryStorage(room = Number.POSITIVE_INFINITY): Storage & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    get length() {
      return entries.size;
    },
    key: (index) => [...entries.keys()][index] ?? null,
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => {
      const used = [...entries].reduce((sum, [name, text]) => sum + (name === key ? 0 : name.length + text.length), 0);
      if (used + key.length + value.length > room) throw new DOMException('full', 'QuotaExceededError');
      entries.set(key, value);
    },
    removeItem: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
}

type Reply = SessionAnswer | Error | (() => Promise<SessionAnswer>);

/**
 * One browser: cookies, local storage, locks and channel that all its tabs share, a clock that stands still, and a
 * server that answers in order.
 */
export interface FakeBrowser {
  cookies: string;
  nowMs: number;
  readonly entries: Map<string, string>;
  /** Questions to the server, by the tab that asked. */
  readonly asked: string[];
  /** What the server answers, in order; the last one repeats. */
  replies: Reply[];
  open(
    name: string,
    options?: { born?: SessionAnswer | null; refusedMarker?: string | null; visible?: boolean },
  ): FakeTab;
  /** News as if a tab that is not among these had sent them. */
  post(news: TabMessage): void;
  /** Lets time pass in every tab, and waits until nothing is under way. */
  pass(ms: number): Promise<void>;
  flush(): Promise<void>;
}
export interface FakeTab {
  readonly store: SessionStore;
  readonly seen: {
    readonly waits: number[];
    readonly failures: SessionFailure[];
    secondFactor: number;
    visitors: number;
  };
  show(visible: boolean): void;
  /** Closes it: its lock passes on. */
  close(): void;
}
export interface FakeBrowserOptions {
  readonly replies?: Reply[];
  readonly cookies?: string;
  readonly locks?: boolean;
  readonly channel?: boolean;
  readonly storage?: Storage & { readonly entries: Map<string, string> };
}

/** A browser with a session cookie. */
export function openBrowserTabs({
  replies = [ANSWER],
  cookies = 'user_token=1',
  locks = true,
  channel = true,
  storage = memoryStorage(),
}: FakeBrowserOptions = {}): FakeBrowser {
  const timers = new Set<{ tab: string; ms: number; dueMs: number; run: () => void }>();
  const line = createSharedLine(storage);
  const waiting: { tab: string; grant: () => unknown }[] = [];
  const browser: FakeBrowser = {
    cookies,
    replies,
    nowMs: 0,
    entries: storage.entries,
    asked: [],
    open(name, { born = null, refusedMarker = null, visible = true } = {}) {
      const seen: FakeTab['seen'] = { waits: [], failures: [], secondFactor: 0, visitors: 0 };
      let shown = visible;
      const onShow = new Set<() => void>();
      const request = ((_: string, grant: () => unknown) => {
        waiting.push({ tab: name, grant });
        if (waiting.length === 1) grant();
        return new Promise(() => undefined);
      }) as LockManager['request'];
      const store = createSessionStore(
        {
          api: { session: { get: () => answer(browser, name) } },
          cookies: () => browser.cookies,
          clearCookie: (cookie) =>
            (browser.cookies = browser.cookies
              .split('; ')
              .filter((each) => !each.startsWith(`${cookie}=`))
              .join('; ')),
          storage: line.storageOf(name),
          tabs: createTabChannel({
            locks: locks ? { request } : null,
            channel: channel ? line.channelOf(name) : null,
            storage: line.storageOf(name),
            onStorage: line.onStorage(name),
          }),
          now: () => browser.nowMs,
          wait: async (ms) => void seen.waits.push(ms),
          every: (ms, run) => {
            const timer = { tab: name, ms, dueMs: browser.nowMs + ms, run };
            timers.add(timer);
            return () => void timers.delete(timer);
          },
          isVisible: () => shown,
          onVisible: (run) => {
            onShow.add(run);
            return () => void onShow.delete(run);
          },
          onFailure: (why) => seen.failures.push(why),
          onSecondFactor: () => (seen.secondFactor += 1),
          onVisitor: () => (seen.visitors += 1),
        },
        { session: born, refusedMarker },
      );
      const stop = store.start();
      return {
        store,
        seen,
        show: (next) => {
          shown = next;
          if (next) for (const run of onShow) run();
        },
        close: () => {
          stop();
          line.close(name);
          const led = waiting[0]?.tab === name;
          waiting.splice(0, waiting.length, ...waiting.filter((each) => each.tab !== name));
          if (led) waiting[0]?.grant();
        },
      };
    },
    post: (news) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
      if (channel) line.channelOf('elsewhere').postMessage(news);
      else line.storageOf('elsewhere').setItem('session_news', JSON.stringify(news));
    },
    async pass(ms) {
      const end = browser.nowMs + ms;
      for (;;) {
        const [next] = [...timers].sort((a, b) => a.dueMs - b.dueMs);
        if (!next || next.dueMs > end) break;
        browser.nowMs = next.dueMs;
        next.dueMs += next.ms;
        next.run();
        await browser.flush();
      }
      browser.nowMs = end;
    },
    flush: () => new Promise((resolve) => setImmediate(resolve)),
  };
  return browser;
}

async function answer(browser: FakeBrowser, tab: string): Promise<SessionAnswer> {
  const reply = browser.replies[Math.min(browser.asked.length, browser.replies.length - 1)];
  browser.asked.push(tab);
  if (reply instanceof Error || reply === undefined) throw reply ?? new Error('the test gives no answer');
  return typeof reply === 'function' ? reply() : reply;
}

/** Channel and storage as several tabs share them: what one does, the others are told. */
function createSharedLine(storage: Storage) {
  const channels = new Map<string, Set<(event: MessageEvent) => void>>();
  const watchers = new Map<string, Set<Parameters<TabPorts['onStorage']>[0]>>();
  const notifyOthers = (tab: string, key: string | null, value: string | null) => {
    for (const [name, all] of watchers) if (name !== tab) for (const each of all) each(key, value);
  };
  return {
    close: (tab: string) => {
      channels.delete(tab);
      watchers.delete(tab);
    },
    channelOf: (tab: string): NonNullable<TabPorts['channel']> => {
      const own = new Set<(event: MessageEvent) => void>();
      channels.set(tab, own);
      return {
        postMessage: (data: unknown) => {
          for (const [name, all] of channels)
            if (name !== tab)
              for (const each of all) each(new MessageEvent('message', { data: structuredClone(data) }));
        },
        addEventListener: (_: string, listener: unknown) => void own.add(listener as (event: MessageEvent) => void),
        removeEventListener: (_: string, listener: unknown) =>
          void own.delete(listener as (event: MessageEvent) => void),
      };
    },
    onStorage:
      (tab: string): TabPorts['onStorage'] =>
      (listener) => {
        const own = watchers.get(tab) ?? new Set();
        watchers.set(tab, own);
        own.add(listener);
        return () => void own.delete(listener);
      },
    storageOf: (tab: string): SafeStorage => {
      const safe = safeStorage(() => storage);
      return {
        getItem: safe.getItem,
        setItem: (key, value) => {
          const stored = safe.setItem(key, value);
          if (stored) notifyOthers(tab, key, value);
          return stored;
        },
        removeItem: (key) => {
          safe.removeItem(key);
          notifyOthers(tab, key, null);
        },
        clear: () => {
          safe.clear();
          notifyOthers(tab, null, null);
        },
      };
    },
  };
}
