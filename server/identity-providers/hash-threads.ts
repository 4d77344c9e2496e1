/**
 * Starts a thread that hashes. Named by the main entry, because in the binary a thread's file is found from there
 * alone.
 */
export type SpawnHashing = () => Worker;

/** A password to be hashed, and how; or one to be checked against a hash. */
export type HashQuestion =
  | { readonly password: string; readonly how: Bun.Password.Argon2Algorithm }
  | { readonly password: string | Uint8Array; readonly stored: string };
/** The hash, or whether the password is the one of the hash. */
export type HashAnswer = { readonly answer: string | boolean } | { readonly fault: string };

/**
 * Asks threads of a lower priority: on those that the program has anyway a storm of log-ins would take the processor
 * from whoever answers. As many are started as questions are asked at once, and kept: the caller limits them. Rejects
 * where the question or the thread is bad; such a thread is of no further use.
 */
export function createHashThreads(spawn: SpawnHashing): (question: HashQuestion) => Promise<string | boolean> {
  const free: HashThread[] = [];
  return async (question) => {
    const thread = free.pop() ?? startThread(spawn);
    const answer = await thread.ask(question);
    if ('fault' in answer) {
      thread.end();
      throw new Error(answer.fault);
    }
    free.push(thread);
    return answer.answer;
  };
}

interface HashThread {
  /** Asks one question; the next comes when it is answered. */
  ask(question: HashQuestion): Promise<HashAnswer>;
  end(): void;
}

function startThread(spawn: SpawnHashing): HashThread {
  const worker = spawn() as Worker & Pick<Bun.Worker, 'unref'>;
  let ended: HashAnswer | null = null;
  let take: ((answer: HashAnswer) => void) | null = null;
  function end(fault: string): void {
    ended = { fault };
    take?.(ended);
  }
  // Nobody waits for a thread that has nothing to do.
  worker.unref();
  worker.addEventListener('message', ({ data }: MessageEvent<HashAnswer>) => take?.(data));
  worker.addEventListener('error', ({ message }) => end(`the thread that hashes failed: ${message}`));
  worker.addEventListener('close', () => end('the thread that hashes ended'));
  return {
    ask: (question) =>
      new Promise((resolve) => {
        if (ended) return resolve(ended);
        take = resolve;
        worker.postMessage(question);
      }),
    end: () => worker.terminate(),
  };
}
