export type Waker = ReturnType<typeof createWaker>;

/**
 * Gathers the reasons for which a stream has to look again, so that many of them at once make it look once. `due` goes
 * before `change`; once closed (by its owner, or because the caller went away) nothing else is told.
 */
export function createWaker(signal: AbortSignal) {
  let isDue = false;
  let isChanged = false;
  let isClosed = signal.aborted;
  let wake: (() => void) | null = null;
  const call = () => {
    wake?.();
    wake = null;
  };
  function close(): void {
    signal.removeEventListener('abort', close);
    isClosed = true;
    call();
  }
  signal.addEventListener('abort', close);

  return {
    /** The time of the next challenge has come. */
    due(): void {
      isDue = true;
      call();
    },
    /** Something may have changed. */
    change(): void {
      isChanged = true;
      call();
    },
    /** Waits for a reason and takes it. */
    async next(): Promise<'closed' | 'due' | 'change'> {
      if (!isClosed && !isDue && !isChanged) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (isClosed) return 'closed';
      const woken = isDue ? 'due' : 'change';
      isDue = false;
      isChanged = false;
      return woken;
    },
    /** Ends the waiting and lets go of the signal. */
    close,
  };
}
