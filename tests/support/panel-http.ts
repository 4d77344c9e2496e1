import type { HttpPanelDeps } from '#server/panel/http/client.ts';
import { createPanelBudgets } from '#server/panel/http/budget.ts';
import { fakeClock } from './clock.ts';
import { testLog } from './log.ts';
import { fakeTimer } from './timer.ts';

/** A call as an adapter sent it. */
export interface SentCall {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
}
/** What the panel answers: a status and a JSON body, a whole answer, or an error as `fetch` throws it. */
export type Scripted =
  { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> } | Response | Error;

/** A panel that gives the next answer of a list to each call; `rest` to all calls after that. */
export function scriptedPanel(
  answers: Scripted[] = [],
  rest: (call: SentCall) => Scripted = () => ({
    status: 500,
    body: { errors: [{ code: 'TypeError', status: '500', detail: 'nothing more' }] },
  }),
) {
  const sent: SentCall[] = [];
  const fetch: HttpPanelDeps['fetch'] = async (url, init) => {
    const { pathname, search } = new URL(url);
    const call: SentCall = {
      method: init.method ?? 'GET',
      path: `${pathname}${search}`,
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : null,
    };
    sent.push(call);
    const answer = answers.shift() ?? rest(call);
    if (answer instanceof Error) throw answer;
    if (answer instanceof Response) return answer;
    if (answer.status === 204) return new Response(null, { status: 204, headers: answer.headers ?? {} });
    return Response.json(answer.body ?? {}, { status: answer.status, headers: answer.headers ?? {} });
  };
  return { sent, answers, fetch };
}

/** An error as the runtime's `fetch` throws it. */
export function networkError(code: string): Error {
  return Object.assign(new TypeError(code), { code });
}

/**
 * The parts of a process that an adapter needs, with a clock that the test moves. `random` is a half: pauses are their
 * plain length.
 */
export function panelDeps(fetch: HttpPanelDeps['fetch']) {
  const clock = fakeClock();
  const timer = fakeTimer(clock);
  const log = testLog();
  const deps: HttpPanelDeps = {
    fetch,
    clock,
    timer,
    random: () => 0.5,
    log,
    budgets: createPanelBudgets({ clock, timer, log, shared: null }),
  };
  return { ...deps, clock, timer, log };
}

/** Lets everything that is ready to run do so. */
export const runPending = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Moves the clock by its timers until a promise is done. In: how far at each step, in ms. Throws after a thousand
 * steps.
 */
export async function runClock<T>(
  { clock, timer }: { clock: { advance(ms: number): number }; timer: { run(): void } },
  work: Promise<T>,
  stepMs = 100,
): Promise<T> {
  let done = false;
  void work.then(
    () => (done = true),
    () => (done = true),
  );
  for (let step = 0; step < 1000; step += 1) {
    await runPending();
    if (done) return work;
    clock.advance(stepMs);
    timer.run();
  }
  throw new Error('it is not done');
}

/** An error of the panel's own envelope. */
export function panelErrors(
  status: number,
  code: string,
  detail = '',
  fields: Readonly<Record<string, string>> = {},
): Scripted {
  const entries = Object.entries(fields);
  const errors =
    entries.length > 0
      ? entries.map(([field, rule]) => ({ code, status: String(status), detail, meta: { source_field: field, rule } }))
      : [{ code, status: String(status), detail }];
  return { status, body: { errors } };
}
/** A server as the panel tells it. */
export function serverBody(
  change: Readonly<Record<string, unknown>> = {},
  ports: readonly { id: number; ip?: string; alias?: string | null; port: number }[] | null = [{ id: 7, port: 25_565 }],
) {
  const list = ports && {
    object: 'list',
    data: ports.map((each) => ({
      object: 'allocation',
      attributes: { ip: '192.0.2.10', alias: null, notes: null, assigned: true, ...each },
    })),
  };
  const relationships = {
    allocations: list ?? { object: 'null_resource', attributes: null },
    node: { object: 'node', attributes: { id: 2, fqdn: 'node.example.test' } },
  };
  return {
    object: 'server',
    attributes: {
      id: 41,
      external_id: 'ours-1',
      uuid: 'b8254f63-0000-4000-8000-000000000000',
      identifier: 'b8254f63',
      name: 'Survival',
      description: '',
      status: null,
      suspended: false,
      limits: { memory: 1024, swap: 0, disk: 5120, io: 500, cpu: 100, threads: null, oom_disabled: true },
      feature_limits: { databases: 1, allocations: 2, backups: 3 },
      user: 5,
      node: 2,
      allocation: 7,
      nest: 1,
      egg: 3,
      container: { startup_command: 'x', image: 'y', installed: 1, environment: {} },
      relationships,
      updated_at: '2026-11-21T08:03:21+00:00',
      created_at: '2026-11-21T08:03:20+00:00',
      ...change,
    },
  };
}
/** A page of a list as the panel tells it. */
export function listBody(items: readonly unknown[], page = 1, pages = 1) {
  return {
    object: 'list',
    data: items,
    meta: {
      pagination: {
        total: items.length,
        count: items.length,
        per_page: 50,
        current_page: page,
        total_pages: pages,
        links: {},
      },
    },
  };
}
