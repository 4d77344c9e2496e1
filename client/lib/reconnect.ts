/** Seconds between two tries to reach the server; the last one repeats. */
const RETRY_DELAYS_S = [2, 3, 5, 10, 20, 30] as const;

/** How long an answer may take. */
const TIMEOUT_MS = 8_000;

/** How long to wait before the n-th try (0: the first). Out: seconds. */
export function retryDelayS(attempt: number): number {
  return RETRY_DELAYS_S[Math.min(attempt, RETRY_DELAYS_S.length - 1)] ?? 30;
}

/** Whether the server answers (a proxy that answers for it does not count). In: a fetch. Never rejects. */
export async function isServerReachable(
  fetch: (url: string, init: RequestInit) => Promise<Response>,
): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
}
