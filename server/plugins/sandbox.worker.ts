import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSDeferredPromise,
  type QuickJSHandle,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { HOOK_GROUPS, type FromThread, type SandboxFault, type SandboxLimits, type ToThread } from './protocol.ts';
import type { HookCall, HookGroup } from '#server/modules/plugins/engine-ports.ts';

declare const self: {
  addEventListener(type: 'message', listener: (event: MessageEvent<{ readonly message: ToThread }>) => void): void;
  postMessage(data: { readonly messages: readonly FromThread[] }): void;
};

/**
 * The part of the product that stands inside of the sandbox, in the plugin's own engine: it turns hooks and questions
 * into text. `__ask` is all that leads outside.
 */
const INSIDE = `
globalThis.__inside = (() => {
  const { stringify, parse } = JSON;
  const ask = globalThis.__ask;
  delete globalThis.__ask;
  const question = (what) => async (...args) => {
    const answer = await ask(what, stringify(args));
    return answer === '' ? undefined : parse(answer);
  };
  const group = (name, parts) => Object.freeze(Object.fromEntries(parts.map((part) => [part, question(name + '.' + part)])));
  const host = Object.freeze({
    storage: group('storage', ['get', 'set', 'delete', 'list']),
    read: group('read', ['user', 'server']),
    settings: question('settings'),
    fetch: question('fetch'),
    pay: question('pay'),
    notify: question('notify'),
    mail: question('mail'),
    log: question('log'),
  });
  return {
    hooks: (plugin, groups) => stringify(Object.fromEntries(groups.map((name) => [name, Object.keys(Object(plugin[name]))]))),
    run: async (plugin, name, current, former, input) => {
      const hooks = Object(plugin[name]);
      const hook = [current, former].find((each) => Object.hasOwn(hooks, each) && typeof hooks[each] === 'function');
      if (hook === undefined) throw new ReferenceError('no hook ' + current);
      const answer = await hooks[hook](parse(input), host);
      return stringify(answer) ?? '';
    },
  };
})();
`;

/**
 * Pages of 64 KB that the engine's memory may grow to, 64 MB: the engine's own limit does not count all that is in
 * buffers.
 */
const PAGES = 1024;
/** The engine. Messages that come before it is there wait for it. */
const engine = newQuickJSWASMModuleFromVariant(
  newVariant(variant, { wasmMemory: new WebAssembly.Memory({ initial: 256, maximum: PAGES }) }),
);
let unposted: FromThread[] = [];
/** Says something to the product; what is said in one turn of the loop is one message. */
function post(message: FromThread): void {
  if (unposted.push(message) > 1) return;
  setImmediate(() => {
    const messages = unposted;
    unposted = [];
    self.postMessage({ messages });
  });
}

interface Loaded {
  readonly context: QuickJSContext;
  readonly plugin: QuickJSHandle;
  readonly limits: SandboxLimits;
}
let loaded: Loaded | null = null;
/**
 * Milliseconds of a processor that this thread has had. Not what a clock says: on a busy machine a thread that computes
 * for a moment may take seconds, which is not the plugin's fault.
 */
function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
/** The number by which Linux knows this thread; '' on other systems. */
function threadNumber(): string {
  try {
    return basename(readlinkSync('/proc/thread-self'));
  } catch {
    return '';
  }
}
/** Until when, by `computedMs`, what runs may compute. */
let deadline = 0;
/** What is run once a call has ended well, by its number. */
const following = new Map<number, () => void>();
/** What each call still may compute, in ms. */
const left = new Map<number, number>();
const asks = new Map<number, { readonly call: number; readonly promise: QuickJSDeferredPromise }>();
let askCount = 0;
/** The call that computes just now, or -1. */
let running = -1;
/** Jobs that run before the deadline is looked at again. */
const JOBS = 200;

/** Lets the plugin compute for a call, at most as long as the call still may. */
function compute(call: number, limitMs: number, work: () => void): void {
  const before = computedMs();
  const may = left.get(call) ?? limitMs;
  deadline = before + may;
  running = call;
  try {
    work();
  } finally {
    running = -1;
    left.set(call, may - (computedMs() - before));
  }
}

const messageOf = (context: QuickJSContext, error: QuickJSHandle): string => {
  // Anything at all can be thrown.
  const seen: unknown = context.dump(error);
  const text =
    typeof seen === 'object' && seen !== null && 'message' in seen
      ? `${'name' in seen ? String(seen.name) : 'Error'}: ${String(seen.message)}`
      : String(seen);
  return text.slice(0, 500);
};
function faultOf(message: string): SandboxFault {
  if (message.includes('interrupted')) return 'late';
  if (message.includes('out of memory') || message.includes('stack overflow')) return 'memory';
  return message.startsWith('ReferenceError: no hook') ? 'missing' : 'threw';
}

/** Runs what waits in the plugin's engine. False where the time was over. */
function runJobs(context: QuickJSContext): boolean {
  const { runtime } = context;
  while (runtime.hasPendingJob()) {
    if (computedMs() > deadline) return false;
    const done = runtime.executePendingJobs(JOBS);
    if (done.error) {
      done.error.dispose();
      return computedMs() <= deadline;
    }
  }
  return true;
}

function load(module: QuickJSWASMModule, code: string, limits: SandboxLimits): void {
  const runtime = module.newRuntime();
  runtime.setMemoryLimit(limits.memory);
  runtime.setMaxStackSize(limits.stack);
  runtime.setInterruptHandler(() => computedMs() > deadline);
  const context = runtime.newContext();
  context
    .newFunction('__ask', (what, json) => {
      const promise = context.newPromise();
      const [name, text] = [context.getString(what), context.getString(json)];
      if (text.length > limits.answer || asks.size >= 100) {
        using fault = context.newError('too much at once');
        promise.reject(fault);
        return promise.handle;
      }
      askCount += 1;
      asks.set(askCount, { call: running, promise });
      post({ kind: 'ask', ask: askCount, call: running, what: name, json: text });
      return promise.handle;
    })
    .consume((ask) => context.setProp(context.global, '__ask', ask));
  compute(-1, limits.computeMs, () => {
    context.unwrapResult(context.evalCode(INSIDE, 'inside.js')).dispose();
    const result = context.evalCode(code, 'server.js', { type: 'module' });
    runJobs(context);
    if (result.error) {
      const message = messageOf(context, result.error);
      post({ kind: 'broken', message });
      return;
    }
    const state = context.getPromiseState(result.value);
    if (state.type !== 'fulfilled') {
      post({ kind: 'broken', message: state.type === 'rejected' ? messageOf(context, state.error) : 'it never ends' });
      return;
    }
    const plugin = context.getProp(state.value, 'default');
    if (context.typeof(plugin) !== 'object') {
      post({ kind: 'broken', message: 'it exports nothing' });
      return;
    }
    loaded = { context, plugin, limits };
    const hooks = inside(loaded, 'hooks', [plugin, textOf(context, HOOK_GROUPS)]);
    if (typeof hooks !== 'string') return post({ kind: 'broken', message: 'its hooks cannot be read' });
    post({ kind: 'loaded', hooks: JSON.parse(hooks) as Record<HookGroup, string[]>, thread: threadNumber() });
  });
}

function textOf(context: QuickJSContext, list: readonly string[]): QuickJSHandle {
  const array = context.newArray();
  list.forEach((each, index) => {
    using text = context.newString(each);
    context.setProp(array, index, text);
  });
  return array;
}

/** Calls a function of the inside that gives a text; null where it throws. */
function inside({ context }: Loaded, name: string, args: QuickJSHandle[]): string | null {
  using own = context.getProp(context.global, '__inside');
  using fn = context.getProp(own, name);
  const result = context.callFunction(fn, own, args);
  if (result.error) {
    result.error.dispose();
    return null;
  }
  return context.getString(result.value);
}

/** Runs the first of some hooks, and each of the others once the one before it has ended well. */
function run(first: number, group: HookGroup, calls: readonly HookCall[]): void {
  const [own, ...others] = calls;
  if (!own) return;
  if (others.length > 0) following.set(first, () => run(first + 1, group, others));
  call(first, group, own);
}

/** Says how a call ended, and begins what follows it. */
function end(id: number, message: FromThread): void {
  const next = following.get(id);
  left.delete(id);
  following.delete(id);
  post(message);
  if (message.kind === 'done') next?.();
}

function call(id: number, group: HookGroup, { name, formerName = name, input }: HookCall): void {
  const here = loaded;
  if (!here) return end(id, { kind: 'failed', call: id, fault: 'missing', message: 'nothing is loaded' });
  const { context, plugin, limits } = here;
  const fail = (message: string): void => end(id, { kind: 'failed', call: id, fault: faultOf(message), message });
  compute(id, limits.computeMs, () => {
    using own = context.getProp(context.global, '__inside');
    using run = context.getProp(own, 'run');
    using groupText = context.newString(group);
    using nameText = context.newString(name);
    using formerText = context.newString(formerName);
    using inputText = context.newString(input);
    const result = context.callFunction(run, own, [plugin, groupText, nameText, formerText, inputText]);
    if (result.error) return fail(messageOf(context, result.error));
    void context.resolvePromise(result.value).then((ended) => {
      if (ended.error) return fail(messageOf(context, ended.error));
      using answer = ended.value;
      using length = context.getProp(answer, 'length');
      if (context.getNumber(length) > limits.answer)
        return end(id, { kind: 'failed', call: id, fault: 'answer', message: 'the answer is too large' });
      return end(id, { kind: 'done', call: id, json: context.getString(answer) });
    });
    if (!runJobs(context)) fail('interrupted');
  });
}

function answer(id: number, json: string | undefined, fault: string | undefined): void {
  const waiting = asks.get(id);
  if (!waiting || !loaded) return;
  asks.delete(id);
  const { context, limits } = loaded;
  compute(waiting.call, limits.computeMs, () => {
    if (fault === undefined) {
      using text = context.newString(json ?? '');
      waiting.promise.resolve(text);
    } else {
      using error = context.newError(fault);
      waiting.promise.reject(error);
    }
    if (!runJobs(context)) {
      end(waiting.call, { kind: 'failed', call: waiting.call, fault: 'late', message: 'interrupted' });
    }
  });
}

function handle(module: QuickJSWASMModule, message: ToThread): void {
  if (message.kind === 'load') load(module, message.code, message.limits);
  else if (message.kind === 'run') run(message.first, message.group, message.calls);
  else if (message.kind === 'drop') following.delete(message.call);
  else answer(message.ask, message.json, message.fault);
}
// A throw of our own part ends the thread: the product hears of it and starts another.
self.addEventListener('message', ({ data: { message } }) => {
  void engine.then((module) => handle(module, message));
});
