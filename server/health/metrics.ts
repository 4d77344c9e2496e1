import { timingSafeEqual } from 'node:crypto';
import { healthRank, type HealthKey } from '#shared/health.ts';
import type { HealthReport } from '#server/modules/health/index.ts';
import type { LoopDelay } from './loop-delay.ts';

/** Requests that were answered: by the first digit of their status, by the first bound they stayed below, and their ms. */
export interface RequestCounts {
  readonly byClass: readonly number[];
  readonly byLength: readonly number[];
  readonly sumMs: number;
}
/** Classes of status, from 0xx on. */
const CLASSES = 6;

/** Counts requests: how many by class of status, and how long they took. */
export interface RequestMeter {
  /** In: status and length of a response in ms. */
  note(status: number, ms: number): void;
  /** Counts what another process answered. */
  add(counts: RequestCounts): void;
  /** What was counted since it was taken before. */
  take(): RequestCounts;
  read(): {
    /** By the first digit of the status: index 2 counts 200 to 299. */
    readonly byClass: readonly number[];
    /** Requests that took at most so many ms (`BUCKETS_MS`), and all of them at the end. */
    readonly buckets: readonly number[];
    readonly sumMs: number;
  };
}

/** Upper bounds of the histogram, in ms. */
const BUCKETS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000] as const;

/** A meter that costs a request two additions. */
export function createRequestMeter(): RequestMeter {
  const zero = (length: number) => Array.from({ length }, () => 0);
  let byClass = zero(CLASSES);
  let counts = zero(BUCKETS_MS.length + 1);
  let sumMs = 0;
  return {
    note(status, ms) {
      const place = Math.min(5, Math.floor(status / 100));
      byClass[place] = (byClass[place] ?? 0) + 1;
      let at = 0;
      while (at < BUCKETS_MS.length && ms > (BUCKETS_MS[at] ?? 0)) at += 1;
      counts[at] = (counts[at] ?? 0) + 1;
      sumMs += ms;
    },
    add(more) {
      byClass = byClass.map((count, at) => count + (more.byClass[at] ?? 0));
      counts = counts.map((count, at) => count + (more.byLength[at] ?? 0));
      sumMs += more.sumMs;
    },
    take() {
      const taken = { byClass, byLength: counts, sumMs };
      byClass = zero(CLASSES);
      counts = zero(BUCKETS_MS.length + 1);
      sumMs = 0;
      return taken;
    },
    read() {
      let sum = 0;
      return { byClass: [...byClass], buckets: counts.map((count) => (sum += count)), sumMs };
    },
  };
}

/** Figures of checks that have a metric of their own: its name, help, and what a figure is multiplied by. */
const FIGURES: Readonly<Partial<Record<HealthKey, readonly [name: string, help: string, factor: number]>>> = {
  database: ['database_response_seconds', 'Time the database takes to answer the smallest question', 0.001],
  size: ['database_size_bytes', 'Size of the database', 1],
  queue: ['queue_waiting_jobs', 'Jobs that are due and wait', 1],
  mail: ['mail_waiting', 'E-mails that wait to be sent', 1],
  disk: ['disk_used_bytes', 'Used bytes of the file system of the data', 1],
  clock: ['clock_offset_seconds', 'How far the clock is off', 0.001],
  certificate: ['certificate_seconds_left', 'How long the certificate of the public address is valid', 0.001],
};

interface Facts {
  readonly version: string;
  readonly startedMs: number;
  /** The last report of the checks; null before the first, and where the hosting API is elsewhere. */
  readonly report: HealthReport | null;
  readonly requests: ReturnType<RequestMeter['read']>;
  readonly loop: ReturnType<LoopDelay['read']>;
}
type Labels = Readonly<Record<string, string>>;

/**
 * The metrics of this process in the text format of Prometheus. Everything comes out of memory, so that asking costs
 * nothing: what the checks found is as old as their last run.
 */
export function renderMetrics({ version, startedMs, report, requests, loop }: Facts): string {
  const lines: string[] = [];
  const metric = (
    name: string,
    type: string,
    help: string,
    values: readonly (readonly [Labels, number, string?])[],
  ) => {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const [labels, value, ending = ''] of values) lines.push(`${name}${ending}${renderLabels(labels)} ${value}`);
  };
  const { user, system } = process.cpuUsage();
  metric('spawnpoint_info', 'gauge', 'The version that runs', [[{ version, bun: Bun.version }, 1]]);
  metric('process_start_time_seconds', 'gauge', 'When the process began', [[{}, startedMs / 1000]]);
  metric('process_cpu_seconds_total', 'counter', 'Processor time', [[{}, (user + system) / 1e6]]);
  metric('process_resident_memory_bytes', 'gauge', 'Memory of the process', [[{}, process.memoryUsage.rss()]]);
  metric('spawnpoint_event_loop_delay_seconds', 'gauge', 'How late the event loop was in the last minute', [
    [{ quantile: '0.99' }, loop.p99 / 1000],
    [{ quantile: '1' }, loop.max / 1000],
  ]);
  metric(
    'spawnpoint_http_requests_total',
    'counter',
    'Answered requests by class of status',
    requests.byClass.flatMap((count, at) => (at === 0 ? [] : [[{ status: `${at}xx` }, count]])),
  );
  metric('spawnpoint_http_request_duration_seconds', 'histogram', 'How long requests took', [
    ...BUCKETS_MS.map((ms, at) => [{ le: String(ms / 1000) }, requests.buckets[at] ?? 0, '_bucket'] as const),
    [{ le: '+Inf' }, requests.buckets.at(-1) ?? 0, '_bucket'],
    [{}, requests.sumMs / 1000, '_sum'],
    [{}, requests.buckets.at(-1) ?? 0, '_count'],
  ]);
  if (report) {
    metric('spawnpoint_health_checked_seconds', 'gauge', 'When the checks ran', [[{}, report.atMs / 1000]]);
    metric(
      'spawnpoint_health_status',
      'gauge',
      'What each check says: 0 fine, 1 unknown, 2 warning, 3 failing',
      report.rows.map(({ key, subject, status }) => [{ check: key, subject: subject ?? '' }, healthRank(status)]),
    );
    for (const { key, figure } of report.rows) {
      const own = FIGURES[key];
      if (own && figure !== null) metric(`spawnpoint_${own[0]}`, 'gauge', own[1], [[{}, figure * own[2]]]);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The type of the text format, as Prometheus asks for it. */
const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Answers for the metrics. In: the token that has to be shown (null: none, for a port of its own that only the host's
 * network reaches), and what makes the text.
 */
export function createMetricsResponder(token: string | null, render: () => string): (request: Request) => Response {
  return (request) => {
    if (new URL(request.url).pathname !== '/metrics') return new Response('not found\n', { status: 404 });
    if (token !== null && !isBearer(request.headers.get('authorization'), token))
      return new Response('unauthorised\n', { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
    return new Response(render(), { headers: { 'Content-Type': TYPE, 'Cache-Control': 'no-store' } });
  };
}

/** Whether a header shows the token, in a time that does not depend on where they differ. */
function isBearer(header: string | null, token: string): boolean {
  const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest();
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`));
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** Names of panels are anybody's text: none may end its label or its line. */
function escapeLabel(value: string): string {
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll(/\p{Cc}/gu, ' ');
}
