import {
  HEALTH_CHECKS,
  HEALTH_STATUSES,
  healthRank,
  type HealthFacts,
  type HealthKey,
  type HealthStatus,
} from '#shared/health.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { Clock, Log } from '../kernel.ts';
import type { LongReads, UnitOfWork } from '../tx.ts';
import { COMMON_CODES, span, text, type Finding, type HealthCheck } from './check.ts';
import type { HealthStretch } from './ports.ts';

/** A finding as it is shown. */
interface HealthRow {
  readonly key: HealthKey;
  readonly subject: string | null;
  readonly code: string;
  readonly status: HealthStatus;
  readonly facts: HealthFacts;
  readonly figure: number | null;
  /** When the check ran, and how long it took. */
  readonly atMs: number;
  readonly tookMs: number;
}
export interface HealthReport {
  readonly atMs: number;
  readonly rows: readonly HealthRow[];
}
/** The last day of all checks: the worst status of each half hour, oldest first; null where nothing was written down. */
interface HealthHistory {
  readonly fromMs: number;
  readonly stretchMs: number;
  readonly statuses: readonly (HealthStatus | null)[];
  /** The checks that were a warning or failing in each half hour, the worst first. */
  readonly causes: readonly (readonly HealthKey[])[];
  readonly stretches: readonly HealthStretch[];
}

interface Deps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly log: Log;
  readonly checks: readonly HealthCheck[];
  /** How long a check may take. */
  readonly limitMs?: number;
}
type CheckDeps = Pick<Deps, 'clock' | 'log'> & { readonly limitMs: number };
export type Health = ReturnType<typeof createHealth>;

/** How long a check may take, how old a report may be that is shown, and what the history of a day is made of. */
const LIMIT_MS = 10 * SECOND;
const FRESH_MS = 30 * SECOND;
export const SAMPLE_MS = 5 * MINUTE;
const STRETCH_MS = HOUR / 2;
const STRETCHES = DAY / STRETCH_MS;
/** A message of a check that threw is cut at this many characters. */
const MESSAGE_MAX = 300;

/**
 * The health of the installation (behaviour 8.7): runs the checks of the registry beside each other, each within a
 * limit, and keeps what they said for a day. Whoever asks while they run gets the same report.
 */
export function createHealth({ uow, long, clock, log, checks, limitMs = LIMIT_MS }: Deps) {
  let last: HealthReport | null = null;
  let running: { readonly all: boolean; readonly report: Promise<HealthReport> } | null = null;

  /** What a check said last, where it need not be asked again yet. */
  function keptRows({ key, everyMs = 0 }: HealthCheck): readonly HealthRow[] {
    const rows = last?.rows.filter((row) => row.key === key) ?? [];
    return rows.every(({ atMs }) => clock.now() - atMs < everyMs) ? rows : [];
  }
  async function runAll(chosen: readonly HealthCheck[], all: boolean): Promise<HealthReport> {
    const rows = await Promise.all(
      chosen.map((check) => {
        const kept = all ? [] : keptRows(check);
        return kept.length > 0 ? kept : runCheck({ clock, log, limitMs }, check);
      }),
    );
    const place = ({ key }: HealthRow) => HEALTH_CHECKS.indexOf(key);
    return { atMs: clock.now(), rows: rows.flat().toSorted((a, b) => place(a) - place(b)) };
  }
  /** Runs the checks. `all`: also those that are not due yet. While they run, everybody gets the same report. */
  function check({ all }: { readonly all: boolean }): Promise<HealthReport> {
    if (running && (running.all || !all)) return running.report;
    const report = runAll(checks, all).then((made) => (last = made));
    const own = { all, report };
    running = own;
    void report.finally(() => {
      if (running === own) running = null;
    });
    return report;
  }

  return {
    /** Every check of the registry. */
    checks,
    check,
    /** The checks that say something of the installation, run anew: for a command beside the serving process. */
    checkInstallation: () =>
      runAll(
        checks.filter(({ ofProcess }) => !ofProcess),
        true,
      ),
    /** A report that is at most half a minute old. */
    current: (): Promise<HealthReport> =>
      last && clock.now() - last.atMs < FRESH_MS ? Promise.resolve(last) : check({ all: false }),
    /** The last report of this process; null before the first. */
    last: () => last,
    /** Runs the checks and writes down what they said, and forgets what is older than a day. */
    async sample(): Promise<void> {
      const { atMs, rows } = await check({ all: false });
      const samples = rows.map(({ key, subject, status, figure }) => ({
        key,
        subject: subject ?? '',
        rank: healthRank(status),
        figure,
      }));
      await uow.run(async (tx) => {
        await tx.health.add(atMs, samples);
        await tx.health.purge(atMs - DAY - STRETCH_MS);
      });
    },
    async history(): Promise<HealthHistory> {
      const first = Math.floor(clock.now() / STRETCH_MS) - STRETCHES + 1;
      const stretches = await long.read((tx) => tx.health.list(first * STRETCH_MS, STRETCH_MS), { for: 'visitor' });
      const slots = Array.from({ length: STRETCHES }, (_, at) => stretches.filter(({ slot }) => slot === first + at));
      const statuses = slots.map((found) =>
        found.length === 0 ? null : (HEALTH_STATUSES[Math.max(...found.map(({ rank }) => rank))] ?? 'unknown'),
      );
      return { fromMs: first * STRETCH_MS, stretchMs: STRETCH_MS, statuses, causes: slots.map(causesOf), stretches };
    },
  };
}

/** The checks that were a warning or failing in a stretch, the worst first; one that is gone since is left out. */
function causesOf(stretch: readonly HealthStretch[]): HealthKey[] {
  const wrong = stretch.filter(({ rank }) => rank >= healthRank('warning')).toSorted((a, b) => b.rank - a.rank);
  const keys = wrong.flatMap(({ key }) => HEALTH_CHECKS.find((each) => each === key) ?? []);
  return [...new Set(keys)];
}

/** The rows of one check. Never rejects. */
async function runCheck(deps: CheckDeps, check: HealthCheck): Promise<HealthRow[]> {
  const startedMs = performance.now();
  const findings = await findingsOf(deps, check);
  const atMs = deps.clock.now();
  const tookMs = Math.round(performance.now() - startedMs);
  const statuses: Readonly<Record<string, HealthStatus>> = { ...COMMON_CODES, ...check.codes };
  return findings.map(({ code, subject = null, facts = {}, figure = null }) => ({
    key: check.key,
    subject,
    code,
    status: statuses[code] ?? 'unknown',
    facts,
    figure,
    atMs,
    tookMs,
  }));
}

/** What a check finds within its limit; that it threw or was late where it finds nothing. */
async function findingsOf({ log, limitMs }: CheckDeps, check: HealthCheck): Promise<readonly Finding[]> {
  const stop = new AbortController();
  const late = Promise.withResolvers<Finding>();
  const timer = setTimeout(() => late.resolve({ code: 'late', facts: { limit: span(limitMs) } }), limitMs);
  try {
    const found = await Promise.race([check.run(stop.signal), late.promise]);
    return 'code' in found ? [found] : found;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    log.warn('health.check_failed', { check: check.key, error: message });
    return [{ code: 'failed', facts: { error: text(message.slice(0, MESSAGE_MAX)) } }];
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}
