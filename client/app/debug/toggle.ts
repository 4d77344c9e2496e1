import type { AppStores } from '../app.tsx';
import type { Boot } from '../boot.ts';
import type { TextStore } from '../texts.ts';

/** The parts of the page that the debug panel reads. */
export interface DebugHost {
  readonly boot: Pick<Boot, 'build' | 'settings' | 'flags' | 'debug' | 'timeZone' | 'requestId'>;
  readonly stores: Pick<AppStores, 'subscribe' | 'session' | 'translator' | 'theme'>;
  readonly texts: Pick<TextStore, 'load'>;
}

let host: DebugHost | null = null;

/** Whether the public settings allow the panel. */
export function hasDebugPanel(settings: Boot['settings']): boolean {
  return settings.debug_panel_enabled !== false;
}

/** Whether this page can open the panel. In the browser only. */
export function canDebug(): boolean {
  return host !== null;
}

/**
 * Lets Ctrl+I open and close the panel, on every page and for every visitor. Its code is fetched when it is first
 * opened. Out: a function that stops it.
 */
export function startDebug(given: DebugHost): () => void {
  if (!hasDebugPanel(given.boot.settings)) return () => undefined;
  host = given;
  const listener = (event: KeyboardEvent): void => {
    const plain = event.ctrlKey && !event.shiftKey && !event.altKey && !event.metaKey;
    if (!plain || event.key.toLowerCase() !== 'i') return;
    event.preventDefault();
    if (!event.repeat) toggleDebugPanel();
  };
  window.addEventListener('keydown', listener, true);
  return () => {
    host = null;
    window.removeEventListener('keydown', listener, true);
  };
}

/** Opens or closes the panel, for a menu entry. Does nothing if the setting disables it. */
export function toggleDebugPanel(): void {
  const given = host;
  // A failed import is an unhandled rejection, which the journal records.
  if (given) void import('./mount.tsx').then(({ togglePanel }) => togglePanel(given));
}
