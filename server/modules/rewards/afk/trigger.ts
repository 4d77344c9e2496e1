export type StreamTrigger = ReturnType<typeof createStreamTrigger>;

/**
 * Collects the reasons for which a stream has to read its session, so that many of them at once make it read once.
 * `due` goes before `change`; once closed (by its owner, or because the caller disconnected) there is nothing else.
 */
export function createStreamTrigger(signal: AbortSignal) {
  let isDue = false;
  let isChanged = false;
  let isClosed = signal.aborted;
  let resume: (() => void) | null = null;
  const resumeReader = () => {
    resume?.();
    resume = null;
  };
  function close(): void {
    signal.removeEventListener('abort', close);
    isClosed = true;
    resumeReader();
  }
  signal.addEventListener('abort', close);

  return {
    /** The time of the next challenge has come. */
    due(): void {
      isDue = true;
      resumeReader();
    },
    /** Something may have changed. */
    change(): void {
      isChanged = true;
      resumeReader();
    },
    /** Waits for a reason and takes it. */
    async next(): Promise<'closed' | 'due' | 'change'> {
      if (!isClosed && !isDue && !isChanged) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      if (isClosed) return 'closed';
      const reason = isDue ? 'due' : 'change';
      isDue = false;
      isChanged = false;
      return reason;
    },
    /** Ends the waiting and lets go of the signal. */
    close,
  };
}
