/** Waiting, as a part to be replaced in tests. */
export interface PanelTimer {
  /** Calls `run` once after `ms` milliseconds; the function it gives cancels that. */
  after(ms: number, run: () => void): () => void;
}

/** The machine's own timer. It keeps no process alive. */
export const machineTimer: PanelTimer = {
  after(ms, run) {
    const handle = setTimeout(run, ms);
    handle.unref();
    return () => clearTimeout(handle);
  },
};

/** Waits some ms. */
export function pause(timer: PanelTimer, ms: number): Promise<void> {
  return new Promise((resolve) => void timer.after(ms, resolve));
}
