/** What goes wrong with the next calls. */
export interface Fault {
  /** `GET /users/@me`: method, and how the path below the API's address begins. */
  readonly call: string;
  /** How many calls; one when absent. */
  readonly times?: number;
  /**
   * `before`: the connection is cut and nothing was done. `after`: all was done, but the answer is lost. `hang`: no
   * answer ever comes.
   */
  readonly cut?: 'before' | 'after' | 'hang';
  /** Answers this instead, without doing anything. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** As it is sent; an object becomes JSON. */
  readonly body?: string | object;
}

/** Faults as Discord's manual lists them. Waits are in seconds, fractions included. */
export const FAULTS = {
  /** A 429 of the scope. */
  limited: (call: string, scope: 'user' | 'global' | 'shared', waitS: number, body = true): Fault => ({
    call,
    status: 429,
    headers: {
      'Retry-After': String(Math.ceil(waitS)),
      'X-RateLimit-Scope': scope,
      ...(scope === 'global' ? { 'X-RateLimit-Global': 'true' } : {}),
      'X-RateLimit-Reset-After': String(waitS),
    },
    body: body ? { message: 'You are being rate limited.', retry_after: waitS, global: scope === 'global' } : '',
  }),
  /** A 429 of the edge, which knows nothing of JSON. */
  limitedByEdge: (call: string): Fault => ({
    call,
    status: 429,
    headers: { 'Content-Type': 'text/html', 'Retry-After': '3' },
    body: '<html>error code: 1015</html>',
  }),
  badGateway: (call: string, times = 1): Fault => ({
    call,
    times,
    status: 502,
    headers: { 'Content-Type': 'text/html' },
    body: '<html>502 Bad Gateway</html>',
  }),
  unauthorized: (call: string, times = 1): Fault => ({
    call,
    times,
    status: 401,
    body: { message: '401: Unauthorized', code: 0 },
  }),
  noScope: (call: string): Fault => ({
    call,
    status: 403,
    body: { message: 'Missing required OAuth2 scope', code: 50_026 },
  }),
} as const;

/** A queue of faults, taken in the order in which they were put. */
export function createFaults() {
  const queue: { fault: Fault; left: number }[] = [];
  return {
    put: (...faults: readonly Fault[]) =>
      void queue.push(...faults.map((fault) => ({ fault, left: fault.times ?? 1 }))),
    take(call: string): Fault | null {
      const found = queue.find(({ fault, left }) => left > 0 && call.startsWith(fault.call));
      if (!found) return null;
      found.left -= 1;
      return found.fault;
    },
    clear: () => void (queue.length = 0),
  };
}
