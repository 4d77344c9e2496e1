import { freePort } from '../free-port.ts';
import { createThrottle, USUAL_LIMITS, type RateLimits } from './access.ts';
import type { UsageCache } from './client.ts';
import { createDaemons } from './daemon.ts';
import { createPlanner, replacement, shortPath, type Fault, type FaultKind, type FaultOptions } from './faults.ts';
import { createRouter, type Asked, type Reply } from './router.ts';
import type { Daemon, Dialect, Json, PanelCallLog, ServerRow } from './rows.ts';
import { createSeeder, type Seeder } from './seed.ts';
import { createState, type PanelState } from './state.ts';

export type { RateLimits } from './access.ts';
export { FAULT_KINDS, type Fault, type FaultKind, type FaultOptions } from './faults.ts';
export type {
  AllocationRow,
  Daemon,
  DaemonCallLog,
  Dialect,
  EggRow,
  KeyRow,
  LocationRow,
  NestRow,
  NodeRow,
  PanelCallLog,
  Rights,
  ServerRow,
  Usage,
  UserRow,
} from './rows.ts';
export type { AllocationFacts, EggFacts, Seeder, VariableFacts } from './seed.ts';
export type { PanelState } from './state.ts';

export interface FakePanelOptions {
  readonly dialect: Dialect;
  /** For the rate limit's windows, times of rows, the cache of usage and `installMs`. The machine's clock unless told. */
  readonly clock?: { now(): number };
  /** Of uuids and random picks. */
  readonly seed?: number;
  /** Requests a minute; what the panel ships with unless told. */
  readonly rateLimits?: Partial<RateLimits>;
  /** How long installations take by the clock; without it they end when the test says. */
  readonly installMs?: number;
  /** Which installations fail, of those that end by the clock. */
  readonly installFails?: (server: ServerRow) => boolean;
  /**
   * Connections stay open between requests. Off unless told: the client would repeat a GET or DELETE by itself when a
   * kept connection is cut, and a fault for one call would be none.
   */
  readonly keepAlive?: boolean;
  /**
   * What happens between the checks of a creation and its writing; other requests go on unless told. A test of a race
   * lets all of them come here first.
   */
  readonly between?: () => Promise<void>;
}
export interface FakePanel extends Seeder {
  /** Address without a slash at its end; good for both APIs. */
  readonly url: string;
  /** Keys of user 1, the first admin, with all rights. */
  readonly applicationKey: string;
  readonly clientKey: string;
  readonly dialect: Dialect;
  readonly state: PanelState;
  /** Every request, with faults or without, in order. */
  readonly calls: readonly PanelCallLog[];
  /** Requests so far, as `POST /servers`. */
  asked(): string[];
  /** Ends the installations that go on. Out: how many. */
  finishInstalls(success?: boolean | ((server: ServerRow) => boolean)): number;
  setDaemon(node: number, daemon: Daemon): void;
  /** Calls to come go wrong. */
  fail(kind: FaultKind, options?: FaultOptions): void;
  /** Asks at every call that has no fault planned. Null: no more. */
  failBy(chooser: ((call: { readonly method: string; readonly path: string }) => Fault | null) | null): void;
  /** Forgets all faults. What hangs goes on hanging. */
  heal(): void;
  /** Lets everything go on that hangs, is late or waits for a machine; resolves when it is done. Out: how much it was. */
  release(): Promise<number>;
  /** Resolves when something waits for `release`. */
  hanging(): Promise<void>;
  /** Connections are refused from here on, until `listenAgain`. */
  stopListening(): Promise<void>;
  listenAgain(): void;
  /** Windows of the rate limit and the cache of usage begin anew. */
  forgetLimits(): void;
  close(): Promise<void>;
}

/** Things that wait for the test. */
function createGate() {
  let held: { readonly go: () => void; readonly done: Promise<unknown> }[] = [];
  let listeners: (() => void)[] = [];
  function hold(done: (open: Promise<void>) => Promise<unknown>): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    held.push({ go: resolve, done: done(promise) });
    for (const hear of listeners) hear();
    listeners = [];
  }
  return {
    hold,
    wait: () => new Promise<void>((resolve) => hold((open) => open.then(resolve))),
    hanging: () => (held.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => listeners.push(resolve))),
    async release(): Promise<number> {
      const waiting = held;
      held = [];
      for (const each of waiting) each.go();
      await Promise.all(waiting.map((each) => each.done));
      return waiting.length;
    },
  };
}
const parsed = (text: string): Json => {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
/** An answer whose connection is cut before it says anything. */
const cut = () => new Response(new ReadableStream({ start: (controller) => controller.error() }));
/** The first half of a text now, the rest when the gate opens. */
function slow(text: string, open: Promise<void>): ReadableStream {
  const bytes = new TextEncoder().encode(text);
  const half = Math.floor(bytes.length / 2);
  return new ReadableStream({
    start: (controller) => controller.enqueue(bytes.slice(0, half)),
    async pull(controller) {
      await open;
      controller.enqueue(bytes.slice(half));
      controller.close();
    },
  });
}

interface DoorDeps {
  readonly state: PanelState;
  readonly planner: ReturnType<typeof createPlanner>;
  readonly gate: ReturnType<typeof createGate>;
  readonly keepAlive: boolean;
  /** The panel's own answer. */
  readonly router: (asked: Asked) => Promise<Reply>;
}
/** Takes requests, writes them down, and lets them go wrong as planned. */
function createDoor({ state, planner, gate, keepAlive, router }: DoorDeps) {
  async function work(asked: Asked, log: PanelCallLog): Promise<Reply> {
    const reply = await router(asked);
    log.status = reply.status;
    return reply;
  }
  function respond(reply: Reply, body: string | ReadableStream = reply.text): Response {
    const headers = {
      'Cache-Control': 'no-cache, private',
      ...reply.headers,
      ...(keepAlive ? {} : { Connection: 'close' }),
    };
    return new Response(reply.status === 204 ? null : body, { status: reply.status, headers });
  }
  async function faulty(fault: Fault, asked: Asked, log: PanelCallLog): Promise<Response> {
    if (fault.kind === 'lostBefore') return cut();
    if (fault.kind === 'late') {
      gate.hold((open) => open.then(() => work(asked, log)));
      return cut();
    }
    if (fault.kind === 'hang') {
      return new Promise((resolve) =>
        gate.hold(async (open) => {
          await open;
          resolve(respond(await work(asked, log)));
        }),
      );
    }
    if (fault.kind === 'lostAfter') {
      await work(asked, log);
      return cut();
    }
    if (fault.kind === 'slowBody') {
      const reply = await work(asked, log);
      const { promise, resolve } = Promise.withResolvers<void>();
      gate.hold((open) => open.then(resolve));
      return respond(reply, slow(reply.text, promise));
    }
    if (fault.done === true) await work(asked, log);
    const reply = replacement(fault, asked);
    log.status = reply.status;
    return respond(reply);
  }
  async function answer(request: Request, address: string): Promise<Response> {
    const asked: Asked = {
      method: request.method,
      url: new URL(request.url),
      headers: request.headers,
      text: await request.text(),
      address,
    };
    const log: PanelCallLog = {
      method: asked.method,
      path: shortPath(asked.url.pathname),
      query: asked.url.search,
      body: parsed(asked.text),
      status: null,
    };
    state.calls.push(log);
    const fault = planner.next(log.method, log.path);
    return fault === null ? respond(await work(asked, log)) : faulty(fault, asked, log);
  }
  return answer;
}

/**
 * A panel of the dialect on a free port of this machine, with user 1 (a root admin), an application key and a client
 * key of theirs, and nothing else. It behaves as the contract says, keeps all in memory, and has no timers. Section
 * numbers in this folder are those of the contract.
 */
export async function openFakePanel(options: FakePanelOptions): Promise<FakePanel> {
  const {
    dialect,
    clock = { now: () => Date.now() },
    seed = 1,
    keepAlive = false,
    installMs,
    installFails = () => false,
  } = options;
  const state = createState(dialect, clock, seed);
  const seeder = createSeeder(state);
  const gate = createGate();
  const planner = createPlanner();
  const daemons = createDaemons(state, gate);
  const throttle = createThrottle(state, { ...USUAL_LIMITS[dialect], ...options.rateLimits });
  const yieldToOthers = options.between ?? (() => new Promise<void>((resolve) => setImmediate(resolve)));
  const usageCache: UsageCache = new Map();
  const route = createRouter({ state, daemons, throttle, usageCache, yieldToOthers });
  function router(asked: Asked): Promise<Reply> {
    if (installMs !== undefined) daemons.finish((server) => !installFails(server), state.now() - installMs + 1);
    return route(asked);
  }
  const answer = createDoor({ state, planner, gate, keepAlive, router });
  seeder.addUser({
    username: 'admin',
    email: 'admin@example.test',
    firstName: 'Admin',
    lastName: 'Test',
    rootAdmin: true,
  });

  function listen(port: number) {
    return Bun.serve({
      port,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      development: false,
      fetch: (request, own) => answer(request, own.requestIP(request)?.address ?? '127.0.0.1'),
    });
  }
  // One that nobody gets while the panel is down.
  const port = await freePort();
  let server = listen(port);

  return {
    ...seeder,
    state,
    dialect,
    calls: state.calls,
    url: `http://127.0.0.1:${port}`,
    applicationKey: seeder.addKey().token,
    clientKey: seeder.addKey({ kind: 'client' }).token,
    asked: () => state.calls.map((each) => `${each.method} ${each.path}`),
    finishInstalls: (success = true) => daemons.finish(typeof success === 'function' ? success : () => success),
    setDaemon(node, daemon) {
      const row = state.nodes.get(node);
      if (!row) throw new Error(`the panel has no node ${node}`);
      row.daemon = daemon;
    },
    fail: (kind, more = {}) => planner.add({ kind, ...more }),
    failBy: (chooser) => planner.by(chooser),
    heal: () => planner.heal(),
    release: () => gate.release(),
    hanging: () => gate.hanging(),
    stopListening: () => server.stop(true),
    listenAgain: () => void (server = listen(port)),
    forgetLimits() {
      throttle.forget();
      usageCache.clear();
    },
    close: () => server.stop(true),
  };
}
