import type { PanelAnswer, PanelHealth } from '#server/modules/servers/panel/ports.ts';
import type { Clock, Log } from '#server/modules/kernel.ts';
import { createBreaker, type Breaker } from './breaker.ts';
import type { Priority } from './bucket.ts';
import { PATIENCE_MS, type Budget, type PanelBudgets } from './budget.ts';
import { createTransport, type Exchange, type PanelError, type PanelFetch, type Transport } from './exchange.ts';
import { classifyAnswer, type Asked, type Verdict } from './outcome.ts';
import { pause, type PanelTimer } from './timer.ts';
import { createMutex, type Mutex } from './mutex.ts';

/** What an adapter needs of the process. */
export interface HttpPanelDeps {
  readonly fetch: PanelFetch;
  readonly clock: Clock;
  readonly timer: PanelTimer;
  /** 0 to 1: pauses between tries are spread by it. */
  readonly random: () => number;
  readonly log: Log;
  /** One for the process: adapters of the same address share it. */
  readonly budgets: PanelBudgets;
}
/** A panel to ask. `url`: its address as people open it. */
export interface PanelAddress {
  readonly id: string;
  readonly url: string;
  readonly key: string;
  readonly clientKey: string | null;
}

export interface Call<T> extends Asked {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api/application` or `/api/client`, with its query. */
  readonly path: string;
  readonly body?: object;
  /** One of these at a time at the panel: two at once are in each other's way there. */
  readonly alone?: boolean;
  /** A refusal is what is expected: nothing for the log. */
  readonly probing?: boolean;
  /** What the answer says, or undefined where it does not fit. */
  readonly read: (body: unknown) => T | undefined;
}
/** What became of a call: the answer, why, and the panel's list of errors where it gave one. */
export interface Reply<T> {
  readonly answer: PanelAnswer<T>;
  readonly verdict: Verdict;
  readonly errors: readonly PanelError[] | null;
}
export interface PanelClient {
  /** Makes a call within the budget. Reads are asked again where that is safe. Never throws. */
  call<T>(call: Call<T>, priority?: Priority): Promise<Reply<T>>;
  health(): PanelHealth;
}

/** Tries of a question in all, and the pause before the second: doubled for the third, give or take a half. */
const TRIES = 3;
const FIRST_PAUSE_MS = 250;
/**
 * Tries of a command that the panel's database took back over a deadlock, and the longest pause before the second; it
 * grows with each.
 */
const DEADLOCK_TRIES = 6;
const DEADLOCK_PAUSE_MS = 200;
/** What may be gone a moment later. A time-out is not asked again: it was waited for long enough. */
const PASSING = /^(refused|reset|status_5\d\d)$/;

const shut = (failure: string): Verdict => ({
  outcome: 'unavailable',
  reason: null,
  failure,
  fault: false,
  daemon: false,
});
/** The panel has no time for it just now: our own count of its limit says so, or others are before it. */
const tooBusy = (failure: string): Verdict => ({ ...shut(failure), away: 'busy' });

/** The root of a panel's address, without what people copy along: a slash at the end, `/api/application`. */
export function rootOf(url: string): string {
  return url
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/api(\/(application|client))?$/, '')
    .replace(/\/+$/, '');
}

interface Parts {
  readonly deps: HttpPanelDeps;
  readonly address: PanelAddress;
  readonly root: string;
  readonly transport: Transport;
  readonly breaker: Breaker;
  readonly budget: (api: Asked['api']) => Budget;
  readonly seen: { lastAnswerMs: number | null; lastFailure: string | null };
}

/** One request within the budget. */
async function send(
  parts: Parts,
  call: Call<unknown>,
  priority: Priority,
): Promise<{ verdict: Verdict; exchange: Exchange | null }> {
  const { address, root, transport, breaker, seen, deps } = parts;
  const budget = parts.budget(call.api);
  const key = call.api === 'client' ? address.clientKey : address.key;
  if (key === null)
    return { verdict: { ...shut('no_client_key'), outcome: 'refused', reason: 'no_client_key' }, exchange: null };
  if (!breaker.ready()) return { verdict: shut('circuit_open'), exchange: null };
  if (!(await budget.take(priority))) return { verdict: tooBusy('budget'), exchange: null };
  // The wait was long enough for the panel to have gone.
  const leave = breaker.enter();
  if (!leave) {
    budget.lost();
    return { verdict: shut('circuit_open'), exchange: null };
  }
  const exchange = await transport.send({
    url: `${root}/api/${call.api}${call.path}`,
    method: call.method,
    key,
    body: call.body ?? null,
  });
  const verdict = classifyAnswer(call, exchange);
  if (exchange.kind === 'answer') {
    budget.answered(exchange.rate, exchange.status === 429);
    if (exchange.json) seen.lastAnswerMs = deps.clock.now();
  } else budget.lost();
  leave(verdict.fault ? 'fault' : 'good');
  seen.lastFailure = verdict.failure;
  return { verdict, exchange };
}

/** What the answer holds. One that does not fit is none: of a command nobody knows what it did. */
function answerOf<T>(
  call: Call<T>,
  verdict: Verdict,
  exchange: Exchange | null,
): { answer: PanelAnswer<T>; verdict: Verdict } {
  if (verdict.outcome === 'refused')
    return { answer: { outcome: 'refused', reason: verdict.reason ?? 'rejected' }, verdict };
  if (verdict.outcome === 'unavailable' || verdict.outcome === 'unknown') {
    return { answer: { outcome: verdict.outcome, ...(verdict.away ? { away: verdict.away } : {}) }, verdict };
  }
  if (verdict.outcome !== 'ok') return { answer: { outcome: verdict.outcome }, verdict };
  const value = exchange?.kind === 'answer' ? call.read(exchange.body) : undefined;
  if (value !== undefined) return { answer: { outcome: 'ok', value }, verdict };
  const misfit: Verdict = { ...verdict, outcome: call.kind === 'read' ? 'unavailable' : 'unknown', failure: 'shape' };
  return { answer: { outcome: misfit.outcome === 'unavailable' ? 'unavailable' : 'unknown' }, verdict: misfit };
}

/** The line in the log of a call that was not a plain success or a plain no. The path holds ids only. */
function report({ deps, address }: Parts, call: Call<unknown>, verdict: Verdict, exchange: Exchange | null): void {
  if (verdict.outcome === 'ok' || verdict.outcome === 'not_found' || call.probing) return;
  const answer = exchange?.kind === 'answer' ? exchange : null;
  const first = answer?.errors?.[0];
  deps.log.info('panel.call_failed', {
    panel: address.id,
    call: `${call.method} ${call.api} ${call.path.replace(/\?.*/, '')}`,
    outcome: verdict.outcome,
    reason: verdict.reason,
    failure: verdict.daemon ? 'daemon' : verdict.failure,
    status: answer?.status ?? null,
    code: first?.code ?? null,
    detail: first?.detail.slice(0, 200) ?? null,
  });
}

/**
 * Whether a call is made once more, and after how many ms at most; null where it is not. Questions change nothing; what
 * was taken back was never done.
 */
function pauseBefore(call: Call<unknown>, { deadlock, failure, outcome }: Verdict, round: number): number | null {
  if (deadlock === true) return round < DEADLOCK_TRIES ? DEADLOCK_PAUSE_MS * round : null;
  const passing = call.kind === 'read' && outcome === 'unavailable' && PASSING.test(failure ?? '');
  return passing && round < TRIES ? FIRST_PAUSE_MS * 2 ** (round - 1) : null;
}

/**
 * The client of one panel: its mutex, its breaker, its tries, and what its answers mean. In: limits a minute until the
 * panel tells them.
 */
export function createClient(
  deps: HttpPanelDeps,
  address: PanelAddress,
  limits: { readonly application: number; readonly client: number },
): PanelClient {
  const root = rootOf(address.url);
  const budget = (api: Asked['api']) => deps.budgets.of(root, api, limits[api]);
  const parts: Parts = {
    deps,
    address,
    root,
    transport: createTransport(deps),
    breaker: createBreaker(deps.clock),
    budget,
    seen: { lastAnswerMs: null, lastFailure: null },
  };

  const mutex: Mutex = createMutex(deps.timer);

  async function call<T>(asked: Call<T>, priority: Priority): Promise<Reply<T>> {
    for (let round = 1; ; round += 1) {
      const sent = await send(parts, asked, priority);
      const { answer, verdict } = answerOf(asked, sent.verdict, sent.exchange);
      if (verdict.failure === 'shape') parts.seen.lastFailure = 'shape';
      const ms = pauseBefore(asked, verdict, round);
      if (ms === null) {
        report(parts, asked, verdict, sent.exchange);
        return { answer, verdict, errors: sent.exchange?.kind === 'answer' ? sent.exchange.errors : null };
      }
      await pause(deps.timer, Math.round(ms * (0.5 + deps.random())));
    }
  }
  return {
    async call<T>(asked: Call<T>, priority: Priority = 'interactive'): Promise<Reply<T>> {
      if (asked.alone !== true) return call(asked, priority);
      const leave = await mutex.acquire(PATIENCE_MS[priority]);
      const verdict = tooBusy('mutex');
      if (!leave) return { answer: { outcome: 'unavailable', away: 'busy' }, verdict, errors: null };
      try {
        return await call(asked, priority);
      } finally {
        leave();
      }
    },
    health: () => ({ ...parts.breaker.state(), budget: budget('application').state(), ...parts.seen }),
  };
}
