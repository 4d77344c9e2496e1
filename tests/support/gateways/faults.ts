/**
 * What a stand-in does instead of answering: `before` the work, or after it was done. `cut` breaks the line off within
 * the answer.
 */
export interface Fault {
  readonly when: 'before' | 'after';
  readonly status?: number;
  readonly body?: unknown;
  readonly cut?: true;
  /** Calls it waits for: `POST /v1/refunds`. */
  readonly at: string;
}
export interface Logged {
  readonly at: string;
  readonly body: string;
  readonly key: string | null;
}

export type Answer = { readonly status: number; readonly body: unknown };

/**
 * A stand-in of an outside service on a port of this machine. It does the work once for each idempotency key, and plays
 * the faults it is told.
 */
export function serveGateway(
  keyHeader: string,
  work: (at: string, path: string, body: string, request: Request) => Answer,
) {
  const faults: Fault[] = [];
  const log: Logged[] = [];
  const replays = new Map<string, { readonly body: string; readonly answer: Answer }>();
  const once = (at: string, path: string, body: string, request: Request): Answer => {
    const key = request.headers.get(keyHeader);
    const known = key === null ? undefined : replays.get(`${at} ${key}`);
    if (known)
      return known.body === body
        ? known.answer
        : { status: 400, body: { error: { type: 'idempotency_error', message: 'other parameters' } } };
    const answer = work(at, path, body, request);
    // What was refused by validation is not kept.
    if (key !== null && (answer.status < 300 || answer.status >= 500)) replays.set(`${at} ${key}`, { body, answer });
    return answer;
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const at = `${request.method} ${pathname.replaceAll(/\/(cs|pi|ch|re|PP|CAP)[_-][\w-]+/g, '/:id')}`;
      const body = await request.text();
      log.push({ at, body, key: request.headers.get(keyHeader) });
      const index = faults.findIndex((each) => each.at === at);
      const fault = index < 0 ? undefined : faults.splice(index, 1)[0];
      const answer = fault?.when === 'before' ? null : once(at, pathname, body, request);
      // A line that is cut in the middle of the answer: the client never hears of what was done.
      if (fault?.cut) return new Response('{"id":"', { headers: { 'Content-Type': 'application/json' } });
      const { status, body: said } = fault
        ? { status: fault.status ?? 500, body: fault.body ?? { error: { type: 'api_error', message: 'fault' } } }
        : (answer ?? { status: 500, body: {} });
      return Response.json(said, { status, headers: { 'Request-Id': `req_${log.length}` } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    faults,
    log,
    forgetKeys: () => replays.clear(),
    stop: () => server.stop(true),
  };
}

/** An element that must be there. */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`there is no ${what}`);
  return value;
}
