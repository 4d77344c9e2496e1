import { storage } from '#client/lib/storage.ts';

/** The state of the panel, which outlives its closing; size and dock also outlive the page. */
export const TABS = ['network', 'errors', 'console', 'app', 'storage', 'settings'] as const;
export type TabId = (typeof TABS)[number];
export type Dock = 'bottom' | 'right';

interface PanelState {
  readonly tab: TabId;
  readonly dock: Dock;
  /** Share of the window, in per cent. */
  readonly size: number;
}

/** Bounds of the size, in per cent of the window. */
export const SIZE = { min: 20, max: 90, step: 5 } as const;
const STORAGE_KEY = 'debug-panel';

/** A size within its bounds. */
export function fitSize(size: number): number {
  return Math.min(SIZE.max, Math.max(SIZE.min, Math.round(size)));
}

function stored(): Partial<PanelState> {
  try {
    const { dock, size } = JSON.parse(storage.getItem(STORAGE_KEY) ?? '{}') as { dock?: unknown; size?: unknown };
    return { ...(dock === 'right' ? { dock } : {}), ...(typeof size === 'number' ? { size: fitSize(size) } : {}) };
  } catch {
    return {};
  }
}

export interface PanelStore {
  get(): PanelState;
  change(patch: Partial<PanelState>): void;
  subscribe(listener: () => void): () => void;
}

/** Creates the panel's store, with dock and size from local storage. */
export function createPanelStore(): PanelStore {
  let state: PanelState = { tab: 'network', dock: 'bottom', size: 45, ...stored() };
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    change: (patch) => {
      state = { ...state, ...patch };
      const { dock, size } = state;
      storage.setItem(STORAGE_KEY, JSON.stringify({ dock, size }));
      listeners.forEach((listener) => listener());
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
