import { readFileSync } from 'node:fs';
import type { CallResult, HookCall, HookGroup } from '#server/modules/plugins/engine-ports.ts';
import type { FromThread, SandboxLimits, ToThread } from './protocol.ts';

/** Starts a thread of the sandbox. Named by the main entry, because in the binary its file is found from there. */
export type SpawnSandbox = () => Worker;

/** What a plugin may fill and take (measured in the bench). */
export const SANDBOX_LIMITS: SandboxLimits = {
  memory: 32 * 1024 * 1024,
  stack: 512 * 1024,
  computeMs: 250,
  answer: 256 * 1024,
};
/** How long a call may last with everything that it waits for. */
const CALL_MS = 15_000;
/** How much longer than it may compute a thread may be silent: then it is ended from outside. */
const SILENT_MS = 2500;
/** How long a thread may be silent, however little of a processor it had meanwhile. */
const SILENT_MOST_MS = 60_000;
/** Calls under way in one plugin; more wait outside. */
const AT_ONCE = 50;

export interface SandboxDeps {
  readonly spawn: SpawnSandbox;
  readonly code: string;
  readonly limits?: SandboxLimits;
  readonly callMs?: number;
  /**
   * Answers what the plugin asks for, as JSON ('' for nothing). Throws an Error whose message is a code that the plugin
   * may read. It alone decides what was granted.
   */
  readonly ask: (what: string, args: readonly unknown[]) => Promise<string>;
  /** The thread is over: it hung, broke down or was ended. Called once. */
  readonly onEnd: (why: string) => void;
}
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * A plugin's server module in an engine of its own on a thread of its own: no files, no network, no environment; only
 * what `ask` answers. A call that throws or answers too much fails alone; one that computes too long or fills the
 * memory takes the thread along, with all its calls, and so does a thread that does not come back. Throws where the
 * module cannot be read.
 */
export async function startSandbox(deps: SandboxDeps) {
  const { spawn, code, limits = SANDBOX_LIMITS, callMs = CALL_MS, ask, onEnd } = deps;
  const worker = spawn();
  let ended: string | null = null;
  let thread = '';
  const { watch, unwatch } = createWatch(
    () => computedMsOf(thread),
    () => end('it did not come back'),
  );
  const watchCall = (): void => watch(limits.computeMs + SILENT_MS);
  const post = (message: ToThread): void => {
    // Whatever is said to it, it has to come back from.
    if (message.kind === 'load') watch(SILENT_MOST_MS);
    else if (message.kind !== 'drop') watchCall();
    worker.postMessage({ message });
  };
  const calls = createCalls(callMs, post, watchCall);
  let onLoaded: (hooks: Readonly<Record<HookGroup, readonly string[]>>) => void = () => undefined;
  let onBroken: (error: Error) => void = () => undefined;

  function end(why: string): void {
    if (ended !== null) return;
    ended = why;
    unwatch();
    worker.terminate();
    onBroken(new Error(why));
    calls.endAll({ ok: false, fault: 'ended', message: why });
    onEnd(why);
  }
  async function reply(id: number, what: string, json: string): Promise<void> {
    let answer: ToThread;
    try {
      answer = { kind: 'answer', ask: id, json: await ask(what, JSON.parse(json) as unknown[]) };
    } catch (error) {
      answer = { kind: 'answer', ask: id, fault: error instanceof Error ? error.message : 'FAILED' };
    }
    if (ended === null) post(answer);
  }
  function receive({ data: { messages } }: MessageEvent<{ readonly messages: readonly FromThread[] }>): void {
    for (const message of messages) {
      // What a message has it do next, it has to come back from as well.
      unwatch();
      handle(message);
    }
  }
  function handle(data: FromThread): void {
    if (data.kind === 'loaded') {
      ({ thread } = data);
      onLoaded(data.hooks);
    } else if (data.kind === 'broken') end(data.message);
    else if (data.kind === 'ask') void reply(data.ask, data.what, data.json);
    else if (data.kind === 'done') calls.finish(data.call, { ok: true, json: data.json });
    else {
      calls.finish(data.call, { ok: false, fault: data.fault, message: data.message });
      // What was interrupted may be half done, and goes on where it was: nothing in this engine is trusted any more.
      if (data.fault === 'late' || data.fault === 'memory') end(data.message);
    }
  }
  worker.addEventListener('message', receive);
  worker.addEventListener('error', (event) => end(event.message || 'it broke down'));
  worker.addEventListener('close', () => end('it broke down'));

  const hooks = await new Promise<Readonly<Record<HookGroup, readonly string[]>>>((resolve, reject) => {
    onLoaded = resolve;
    onBroken = reject;
    post({ kind: 'load', code, limits });
  });

  return {
    hooks,
    /**
     * Runs hooks, one after the other, up to the first that does not end well. Out: what became of those that were
     * begun, in their order. Never rejects.
     */
    run(group: HookGroup, wanted: readonly HookCall[]): Promise<CallResult[]> {
      if (wanted.length === 0) return Promise.resolve([]);
      if (ended !== null) return Promise.resolve([{ ok: false, fault: 'ended', message: ended }]);
      return calls.begin(group, wanted);
    },
    stop: () => end('it was stopped'),
  };
}

/** Milliseconds of a processor that a thread has had, by its number; null where the system does not say. */
function computedMsOf(thread: string): number | null {
  if (thread === '') return null;
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1_000_000;
  } catch {
    return null;
  }
}

/**
 * Watches a thread that has something to do: `watch` begins, unless it is watched already, `unwatch` ends it. In: what
 * the thread has computed, in ms, where that can be known; what happens where it stays silent for too long. On a busy
 * machine that is no matter of clocks: it has to have computed that long as well, up to `SILENT_MOST_MS`.
 */
function createWatch(computedMs: () => number | null, onSilent: () => void) {
  let timer: ReturnType<typeof setTimeout> | null = null;
  return {
    watch(ms: number): void {
      if (timer !== null) return;
      const begunMs = performance.now();
      let before: number | null = null;
      const check = (): void => {
        const computed = computedMs();
        const isHung = computed === null || (before !== null && computed - before >= ms);
        if (isHung || performance.now() - begunMs >= SILENT_MOST_MS) return onSilent();
        before ??= computed;
        timer = setTimeout(check, ms);
      };
      timer = setTimeout(check, ms);
    },
    unwatch(): void {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

/**
 * The calls under way in a thread. In: how long each may last, in ms; what says something to the thread; and what
 * watches the thread.
 */
function createCalls(callMs: number, post: (message: ToThread) => void, watchCall: () => void) {
  const underWay = new Map<number, (result: CallResult) => void>();
  let count = 0;

  function finish(id: number, result: CallResult): void {
    const onResult = underWay.get(id);
    underWay.delete(id);
    onResult?.(result);
  }
  /** Waits for the end of a call, and then of those that follow it. */
  function expectEnds(id: number, left: number, results: CallResult[], resolve: (all: CallResult[]) => void): void {
    const late = setTimeout(() => {
      post({ kind: 'drop', call: id });
      finish(id, { ok: false, fault: 'late', message: 'it took too long' });
    }, callMs);
    underWay.set(id, (result) => {
      clearTimeout(late);
      results.push(result);
      if (!result.ok || left === 1) return resolve(results);
      watchCall();
      return expectEnds(id + 1, left - 1, results, resolve);
    });
  }
  return {
    finish,
    endAll(result: CallResult): void {
      for (const id of underWay.keys()) finish(id, result);
    },
    begin(group: HookGroup, calls: readonly HookCall[]): Promise<CallResult[]> {
      if (underWay.size >= AT_ONCE) return Promise.resolve([{ ok: false, fault: 'busy', message: 'too many calls' }]);
      const first = count + 1;
      count += calls.length;
      return new Promise((resolve) => {
        expectEnds(first, calls.length, [], resolve);
        post({ kind: 'run', first, group, calls });
      });
    },
  };
}
