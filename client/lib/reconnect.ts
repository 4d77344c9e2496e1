/** Delays between attempts to reach the server, in seconds; the last one repeats. */
const RETRY_DELAYS_S = [2, 3, 5, 10, 20, 30] as const;

/** How long a response may take. */
const TIMEOUT_MS = 8_000;

/** The delay before an attempt, in seconds. In: the attempt, from 0. */
export function retryDelayS(attempt: number): number {
  return RETRY_DELAYS_S[Math.min(attempt, RETRY_DELAYS_S.length - 1)] ?? 30;
}

/** Whether the server responds (a proxy responding for it does not count). In: the fetch to use. Never rejects. */
export async function isServerReachable(
  fetch: (url: string, init: RequestInit) => Promise<Response>,
): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
}
