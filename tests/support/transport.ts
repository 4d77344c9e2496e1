import { afterAll, afterEach, beforeAll, mock, spyOn } from 'bun:test';
import type { CallInfo } from '#server/http/implement.types.ts';
import type { remoteTransport } from '#server/http/transport.ts';

type Handle = (request: Request) => Response | Promise<Response>;
type Visitor = Parameters<ReturnType<typeof remoteTransport>['fetcher']>[0];

/**
 * A hosting API elsewhere, for the tests of the file that calls this. Out: where it is, and how it answers, which a
 * test may change for itself.
 */
export function openOtherSide() {
  const answer: Handle = () => new Response('ok');
  let server: ReturnType<typeof Bun.serve>;
  const other = {
    base: '',
    handle: answer,
    /** What of a request it sees: with the headers of these names. */
    seen: ({ method, url, headers }: Request, ...names: readonly string[]) => ({
      method,
      path: url.replace(other.base, ''),
      headers: Object.fromEntries(names.map((name) => [name, headers.get(name)])),
    }),
  };
  beforeAll(() => {
    server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => other.handle(request) });
    other.base = server.url.origin;
  });
  afterEach(() => {
    other.handle = answer;
    mock.restore();
  });
  afterAll(() => server.stop(true));
  return other;
}

/** Time that passes only when a test says so: the limits that calls set, and the end of those that are still waited for. */
export function stopTime() {
  const limits: number[] = [];
  const waiting = new Map<unknown, () => void>();
  // The real one also has overloads and `__promisify__`, which nothing here calls.
  spyOn(globalThis, 'setTimeout').mockImplementation(((end: () => void, ms: number) => {
    waiting.set(limits.push(ms), end);
    return limits.length;
  }) as unknown as typeof setTimeout);
  spyOn(globalThis, 'clearTimeout').mockImplementation((id) => void waiting.delete(id));
  return {
    limits,
    expire: () => {
      for (const end of waiting.values()) end();
    },
  };
}
/** Something that the other side waits for, or that a test does. */
export const gate = () => Promise.withResolvers<void>();

/** Whom a page is made for. */
export const visitor = (over: Partial<Visitor> = {}): Visitor => ({
  requestId: 'r-1',
  address: '203.0.113.7',
  locale: 'de',
  secret: 'a-secret-of-twenty-four-signs',
  cookie: 'locale=de',
  userAgent: 'Firefox',
  signal: new AbortController().signal,
  ...over,
});
/** What is known of a request that is forwarded. */
export const info = (over: Partial<CallInfo> = {}): CallInfo => ({
  requestId: 'r-1',
  address: '203.0.113.7',
  locale: 'de',
  secret: 'a-secret-of-twenty-four-signs',
  keepOpen: () => undefined,
  ...over,
});
/** What a call fails with; null where it does not. */
export const failure = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  );
/** What a call fails with where the other side is not there. */
export const UNAVAILABLE = { code: 'SERVER_UNAVAILABLE', status: 503, requestId: 'r-1' };
