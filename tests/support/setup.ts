import { afterEach, setDefaultTimeout } from 'bun:test';
import { Socket } from 'node:net';
import { inspect } from 'node:util';

/**
 * Preload of every test: what is printed as a fault, rejected without a listener or sent to the real network fails the
 * test.
 */
interface Expected {
  readonly pattern: RegExp;
  seen: boolean;
}
// The machines of tests may be busy: a test that waits in vain still ends. It counts for the first file of a process; others say
// it themselves, or take the --timeout of the command.
setDefaultTimeout(300_000);

let faults: string[] = [];
let expected: Expected[] = [];

declare global {
  /** Says that the test makes the code print a warning or an error that matches; it fails where none does. */
  var expectConsole: (pattern: RegExp) => void;
}
globalThis.expectConsole = (pattern) => void expected.push({ pattern, seen: false });

/**
 * A check of React's development build. Files of a worker share their modules, so what the server's renderer has
 * rendered the browser's meets in the same process, as it never does outside of tests.
 */
const SHARED_PROCESS = /^Detected multiple renderers concurrently rendering/;

for (const level of ['error', 'warn'] as const) {
  console[level] = (...parts: unknown[]) => {
    const text = parts.map((part) => (typeof part === 'string' ? part : inspect(part))).join(' ');
    if (SHARED_PROCESS.test(text)) return;
    const known = expected.find(({ pattern }) => pattern.test(text));
    if (known) known.seen = true;
    else faults.push(`console.${level}: ${text}`);
  };
}
process.on('unhandledRejection', (reason) => void faults.push(`unhandled rejection: ${inspect(reason)}`));

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1', '[::1]', '0.0.0.0', '']);

function assertLoopback(host: string): void {
  if (!LOOPBACK.has(host) && !host.startsWith('127.')) throw new Error(`a test tried to reach ${host}`);
}

const realFetch = globalThis.fetch;
function guardedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  if (url.protocol.startsWith('http')) {
    try {
      assertLoopback(url.hostname);
    } catch (error) {
      return Promise.reject(error);
    }
  }
  return realFetch(input, init);
}
globalThis.fetch = Object.assign(guardedFetch, { preconnect: realFetch.preconnect });

const realConnect = Socket.prototype.connect;
Socket.prototype.connect = function connect(this: Socket, ...parts: unknown[]): Socket {
  const [first, second] = Array.isArray(parts[0]) ? (parts[0] as unknown[]) : parts;
  const host =
    typeof first === 'object' && first !== null && 'host' in first
      ? first.host
      : typeof second === 'string'
        ? second
        : '';
  if (typeof host === 'string') assertLoopback(host);
  return Reflect.apply(realConnect, this, parts) as Socket;
};

afterEach(() => {
  const missing = expected
    .filter(({ seen }) => !seen)
    .map(({ pattern }) => `expected on the console, but not printed: ${String(pattern)}`);
  const all = [...faults, ...missing];
  faults = [];
  expected = [];
  if (all.length > 0) throw new Error(all.join('\n'));
});
