import { useSyncExternalStore } from 'react';
import { setPagePerformance } from './page-performance.ts';
import { storage } from './storage.ts';
import { STORAGE, UI_COOKIE } from '#shared/constants.ts';
import {
  parseUiSettings,
  readUiCookie,
  toTransition,
  UI_DEFAULTS,
  UI_STYLE_ID,
  uiAttributes,
  uiProperties,
  writeUiCookie,
  type PageTransition,
  type UiPatch,
  type UiSettings,
} from '#shared/ui-settings.ts';

/** A local write is read back after this long (specification, section 9). */
export const REFRESH_DELAY_MS = 10;
const YEAR_S = 365 * 24 * 3600;

export interface UiSettingsStore {
  /** Makes the document follow local storage. Reading a setting starts it too. */
  start(): void;
  get(): UiSettings;
  transition(): PageTransition;
  /** What was written last, even if the page has not applied it yet: for the controls that write it. */
  written(): WrittenSettings;
  subscribe(listener: () => void): () => void;
  /** Changes some fields, keeps the others. This page follows after 10 ms, other tabs at once. */
  update(patch: UiPatch): void;
  /** Replaces everything. In: anything; it is made valid. */
  replace(settings: unknown, transition: unknown): void;
  setTransition(transition: PageTransition): void;
  /** Back to the defaults. */
  reset(): void;
}

export interface WrittenSettings {
  readonly settings: UiSettings;
  readonly transition: PageTransition;
}

/**
 * The settings of this browser, kept in local storage. Nothing is read before first use, so the server may import this
 * module; there everything has its default. A change of the keys, in any tab, refreshes the store.
 */
export function createUiSettingsStore(): UiSettingsStore {
  let settings = UI_DEFAULTS;
  let transition: PageTransition = 'fade';
  let written: WrittenSettings = { settings, transition };
  let started = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  /** What could not be stored: without storage the settings last as long as the page. */
  const unstored = new Map<string, string>();

  const read = (key: string): string | null => unstored.get(key) ?? storage.getItem(key);
  /** An unreadable value counts as absent. */
  const stored = (): UiSettings => {
    try {
      return parseUiSettings(JSON.parse(read(STORAGE.ui) ?? 'null'));
    } catch {
      return UI_DEFAULTS;
    }
  };
  const announce = () => listeners.forEach((listener) => listener());
  const refresh = () => {
    settings = stored();
    transition = toTransition(read(STORAGE.transition));
    written = { settings, transition };
    apply(settings, transition);
    setPagePerformance(settings.performance);
    announce();
  };
  const isOurs = (key: string | null) => key === null || key === STORAGE.ui || key === STORAGE.transition;
  const scheduleRefresh = () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, REFRESH_DELAY_MS);
  };
  const start = () => {
    if (started || typeof document === 'undefined') return;
    started = true;
    // Local storage was emptied, as by a session that failed (specification, section 4): the server's copy still has the visitor's settings.
    const mirrored = document.cookie
      .split('; ')
      .find((each) => each.startsWith(`${UI_COOKIE}=`))
      ?.slice(UI_COOKIE.length + 1);
    if (mirrored && read(STORAGE.ui) === null && read(STORAGE.transition) === null) {
      const mirroredSettings = readUiCookie(mirrored);
      store(mirroredSettings.settings);
      setTransition(mirroredSettings.transition);
    }
    watchLocalWrites((key) => isOurs(key) && scheduleRefresh());
    window.addEventListener('storage', (event) => isOurs(event.key) && refresh());
    refresh();
  };
  const write = (key: string, value: string) => {
    start();
    if (storage.setItem(key, value)) unstored.delete(key);
    else {
      unstored.set(key, value);
      scheduleRefresh();
    }
    written = { settings: stored(), transition: toTransition(read(STORAGE.transition)) };
    announce();
  };
  const store = (next: unknown) => write(STORAGE.ui, JSON.stringify(parseUiSettings(next)));
  const setTransition = (next: PageTransition) => write(STORAGE.transition, next);

  return {
    start,
    written: () => written,
    get: () => {
      start();
      return settings;
    },
    transition: () => {
      start();
      return transition;
    },
    subscribe: (listener) => {
      start();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    update: (patch) => {
      // Reads what is stored, not what is shown: two changes within the delay must both be kept.
      const now: Readonly<Record<string, object>> = stored();
      store({
        ...now,
        ...Object.fromEntries(Object.entries(patch).map(([group, fields]) => [group, { ...now[group], ...fields }])),
      });
    },
    replace: (next, kind) => {
      store(next);
      setTransition(toTransition(kind));
    },
    setTransition,
    reset: () => {
      store(null);
      setTransition('fade');
    },
  };
}

let applied: readonly string[] = [];

/** Writes the settings onto the document's element, and into the cookie that the server reads. */
function apply(settings: UiSettings, transition: PageTransition): void {
  const root = document.documentElement;
  const properties = uiProperties(settings);
  for (const name of applied) if (!(name in properties)) root.style.removeProperty(name);
  for (const [name, value] of Object.entries(properties)) root.style.setProperty(name, value);
  applied = Object.keys(properties);
  for (const [name, value] of Object.entries(uiAttributes(settings, transition))) {
    if (value === null) root.removeAttribute(name);
    else root.setAttribute(name, value);
  }
  // The server's copy of the properties is no longer needed from here on.
  document.getElementById(UI_STYLE_ID)?.remove();
  const cookie = `${UI_COOKIE}=${writeUiCookie(settings, transition)}`;
  const current = document.cookie.split('; ').find((each) => each.startsWith(`${UI_COOKIE}=`)) ?? `${UI_COOKIE}=`;
  if (current !== cookie)
    document.cookie = `${cookie}; Path=/; Max-Age=${cookie.endsWith('=') ? 0 : YEAR_S}; SameSite=Lax`;
}

const storageListeners = new Set<(key: string | null) => void>();

/**
 * Notifies of every write to local storage in this tab: storage events come from other tabs only. The methods are
 * patched on the prototype, because assigning to `localStorage` itself would store an item. The listener gets the key,
 * or null when everything was cleared; writes to session storage are reported too, which is harmless.
 */
function watchLocalWrites(listener: (key: string | null) => void): void {
  const first = storageListeners.size === 0;
  storageListeners.add(listener);
  if (!first) return;
  const notify = (key: string | null) => storageListeners.forEach((each) => each(key));
  const { setItem, removeItem, clear } = Storage.prototype;
  Storage.prototype.setItem = function (key, value) {
    setItem.call(this, key, value);
    notify(key);
  };
  Storage.prototype.removeItem = function (key) {
    removeItem.call(this, key);
    notify(key);
  };
  Storage.prototype.clear = function () {
    clear.call(this);
    notify(null);
  };
}

/** The settings of this page. */
export const uiSettings: UiSettingsStore = createUiSettingsStore();

const initial = () => UI_DEFAULTS;

/** The settings; while the server renders, and until the page is hydrated, the defaults. */
export function useUiSettings(): UiSettings {
  return useSyncExternalStore(uiSettings.subscribe, uiSettings.get, initial);
}

/**
 * What has been written last: for the controls of the panel, which must not fall back while the page follows. Browser
 * only.
 */
export function useWrittenSettings(): WrittenSettings {
  return useSyncExternalStore(uiSettings.subscribe, uiSettings.written, uiSettings.written);
}
