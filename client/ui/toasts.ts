/** A message that comes and goes by itself. */
export interface ToastOptions {
  tone?: 'positive' | 'danger' | 'info' | 'credit';
  title: string;
  text?: string;
  /** One thing to do about it. */
  action?: { label: string; run: () => void };
  /** Milliseconds on screen; 0 stays until dismissed, which is the rule for refusals. */
  displayMs?: number;
}

/** A toast on screen. */
export interface Toast extends ToastOptions {
  readonly id: number;
  readonly displayMs: number;
}

/** The messages on screen, newest last. */
export interface Toasts {
  /** Shows a message. Out: a function that dismisses it. */
  show(options: ToastOptions): () => void;
  dismiss(id: number): void;
  subscribe(listener: () => void): () => void;
  current(): readonly Toast[];
}

/** Long enough to read two short lines. */
const DISPLAY_MS = 6000;
/** Maximum on screen; beyond it the oldest goes. */
const MAX_TOASTS = 4;

/** Creates an independent list of messages; the product uses `toasts`. */
export function createToasts(): Toasts {
  let list: readonly Toast[] = [];
  let lastId = 0;
  const listeners = new Set<() => void>();
  const change = (next: readonly Toast[]): void => {
    list = next;
    for (const listener of listeners) listener();
  };
  const dismiss = (id: number): void => change(list.filter((toast) => toast.id !== id));
  return {
    show: (options) => {
      const id = ++lastId;
      const displayMs = options.displayMs ?? (options.tone === 'danger' ? 0 : DISPLAY_MS);
      change([...list, { ...options, id, displayMs }].slice(-MAX_TOASTS));
      return () => dismiss(id);
    },
    dismiss,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    current: () => list,
  };
}

/** The messages of the page. */
export const toasts: Toasts = createToasts();
