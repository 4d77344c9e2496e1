import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import type { LongReads } from '../tx.ts';
import { count, defineCheck, span, text, time, type HealthCheck } from './check.ts';

interface Deps {
  readonly long: LongReads;
  readonly clock: Clock;
  /** Every panel in use; the embedded one has the id null. */
  readonly panels: { list(): Promise<readonly { readonly id: string | null; readonly name: string }[]> };
  /** Whether a mail server is set up. */
  readonly sendsMail: () => boolean;
}

/** Nothing that comes round ran for so long: the scheduler stands still. */
const STOPPED_MS = 10 * MINUTE;
/** What is due waits longer than this. */
const SLOW_MS = 10 * MINUTE;
const STUCK_MS = HOUR;
/** A proof of the ledger is older than this. */
const PROOF_MS = 2 * DAY;

/** The scheduled task that proves the ledger; a proof that staff asked for is written down under it as well. */
export const LEDGER_TASK = 'ledger.verify';

/** Questions of checks: nobody waits for them as for a page, and they stop where the check is given up. */
const asJob = (signal: AbortSignal) => ({ for: 'job', signal }) as const;

/** The scheduled tasks and the jobs of the queue. */
function jobsCheck({ long, clock }: Deps) {
  return defineCheck({
    key: 'jobs',
    codes: { ok: 'ok', stopped: 'critical', failing: 'warning', dead: 'warning' },
    async run(signal) {
      const { schedules, dead } = await long.read(
        async (tx) => ({
          schedules: await tx.jobs.listSchedules(),
          dead: (await tx.health.queue(clock.now())).dead,
        }),
        asJob(signal),
      );
      const lastMs = Math.max(0, ...schedules.map((each) => each.lastMs ?? 0));
      const failing = schedules.filter(({ lastError }) => lastError !== null);
      const facts = { count: count(schedules.length), last: time(lastMs) };
      if (clock.now() - lastMs > STOPPED_MS) return { code: 'stopped', facts: { last: time(lastMs) } };
      if (failing.length > 0)
        return {
          code: 'failing',
          facts: { ...facts, count: count(failing.length), names: text(failing.map(({ name }) => name).join(', ')) },
        };
      if (dead > 0) return { code: 'dead', facts: { ...facts, count: count(dead) } };
      return { code: 'ok', facts };
    },
  });
}

/** The durable queue: what is due and waits. */
function queueCheck({ long, clock }: Deps) {
  return defineCheck({
    key: 'queue',
    codes: { ok: 'ok', slow: 'warning', stuck: 'critical' },
    async run(signal) {
      const now = clock.now();
      const { due, oldestMs } = await long.read((tx) => tx.health.queue(now), asJob(signal));
      const waits = oldestMs === null ? 0 : now - oldestMs;
      return {
        code: waits > STUCK_MS ? 'stuck' : waits > SLOW_MS ? 'slow' : 'ok',
        facts: { count: count(due), waits: span(waits) },
        figure: due,
      };
    },
  });
}

/** Each panel in use: whether it takes orders, as the outages know it. */
function panelsCheck({ long, clock, panels }: Deps) {
  return defineCheck({
    key: 'panels',
    codes: {
      ok: 'ok',
      embedded: 'ok',
      none: 'warning',
      away: 'critical',
      key: 'critical',
      node: 'warning',
      closed: 'warning',
    },
    async run(signal) {
      const [inUse, outages] = await Promise.all([
        panels.list(),
        long.read((tx) => tx.overview.outages(), asJob(signal)),
      ]);
      if (inUse.length === 0) return { code: 'none' };
      return inUse.map(({ id, name }) => {
        if (id === null) return { code: 'embedded', subject: '' } as const;
        const own = outages.filter(({ panelId: panel }) => panel === id);
        const outage = own.find(({ node }) => node === null) ?? own[0];
        if (!outage) return { code: 'ok', subject: name } as const;
        const facts = {
          away: span(clock.now() - outage.sinceMs),
          since: time(outage.sinceMs),
          count: count(outage.waiting),
          node: text(outage.node ?? ''),
        };
        const codes = { panel: 'away', key: 'key', node: 'node', maintenance: 'closed', off: 'closed' } as const;
        return { code: codes[outage.cause], subject: name, facts };
      });
    },
  });
}

/** E-mails on their way. */
function mailCheck({ long, clock, sendsMail }: Deps) {
  return defineCheck({
    key: 'mail',
    codes: { ok: 'ok', none: 'warning', stuck: 'warning', failing: 'warning' },
    async run(signal) {
      const now = clock.now();
      if (!sendsMail()) return { code: 'none' };
      const { queued, oldestMs, sent, failed } = await long.read(
        async ({ mail }) => ({
          queued: await mail.count('queued', now - 7 * DAY),
          oldestMs: await mail.oldest('queued', now - 7 * DAY, now),
          sent: await mail.count('sent', now - DAY),
          failed: await mail.count('failed', now - DAY),
        }),
        asJob(signal),
      );
      const waits = oldestMs === null ? 0 : now - oldestMs;
      const facts = { sent: count(sent), count: count(queued), failed: count(failed), waits: span(waits) };
      if (waits > SLOW_MS) return { code: 'stuck', facts, figure: queued };
      return failed > 0
        ? { code: 'failing', facts: { ...facts, count: count(failed) }, figure: queued }
        : { code: 'ok', facts, figure: queued };
    },
  });
}

/** What the last proof of the ledger found. */
function ledgerCheck({ long, clock }: Deps) {
  return defineCheck({
    key: 'ledger',
    codes: { ok: 'ok', archived: 'ok', running: 'ok', never: 'unknown', old: 'warning', faults: 'critical' },
    async run(signal) {
      const { faults, run, archive } = await long.read(
        async (tx) => ({
          faults: await tx.ledgerFaults.count(),
          run: (await tx.jobs.listSchedules()).find(({ name }) => name === LEDGER_TASK),
          archive: await tx.ledgerArchive.state(),
        }),
        asJob(signal),
      );
      if (faults > 0) return { code: 'faults', facts: { count: count(faults) } };
      if (!run || run.lastMs === null) return { code: 'never' };
      if (run.tookMs === null) return { code: 'running', facts: { at: time(run.lastMs) } };
      const facts = { at: time(run.lastMs), took: span(run.tookMs) };
      if (clock.now() - run.lastMs > PROOF_MS) return { code: 'old', facts };
      const { transactions, doneMs } = archive;
      if (transactions === 0) return { code: 'ok', facts };
      return { code: 'archived', facts: { ...facts, count: count(transactions), last: time(doneMs) } };
    },
  });
}

/** The checks that ask the database what the modules left there. */
export function moduleChecks(deps: Deps): readonly HealthCheck[] {
  return [ledgerCheck(deps), jobsCheck(deps), queueCheck(deps), panelsCheck(deps), mailCheck(deps)];
}
