import { DomainError } from '#shared/errors.ts';
import type { HealthStatus } from '#shared/health.ts';
import { HEALTH_STATUSES } from '#shared/health.ts';
import { DAY, HOUR, SECOND } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { PluginHandle } from './registry.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly plugin: PluginHandle<'status-page'>;
  /** What the checks of the installation said at most half a minute ago. */
  readonly health: {
    current(): Promise<{
      readonly rows: readonly {
        readonly key: string;
        readonly subject: string | null;
        readonly status: HealthStatus;
      }[];
    }>;
  };
}
/** What visitors read of a part: it works; not all of it; it does not. */
type PartState = 'up' | 'partial' | 'down';
interface PanelState {
  /** '': the built-in one. */
  readonly name: string;
  readonly state: PartState;
  /** The worst of each of the last 24 hours, the oldest first; null where nothing was written down. */
  readonly hours: readonly (PartState | null)[];
}
interface StatusReport {
  readonly state: PartState;
  readonly note: string;
  readonly atMs: number;
  /** Null: staff do not show them. */
  readonly panels: readonly PanelState[] | null;
  /** When no process of the product ran in the last 30 days (UTC ms), the latest first. */
  readonly downtimes: readonly { readonly fromMs: number; readonly untilMs: number }[];
  /** Share of the last 30 days in which it ran, 0 to 1. */
  readonly uptime: number;
}
export type StatusPage = ReturnType<typeof createStatusPage>;

/** Of how many days downtimes are told. */
const DAYS = 30;
/** Hours of a panel's line. */
const HOURS = 24;
/** For how long visitors are told the same: whatever they do, the database is asked no more often. */
const FRESH_MS = 15 * SECOND;

const STATES: Readonly<Record<HealthStatus, PartState>> = {
  ok: 'up',
  unknown: 'partial',
  warning: 'partial',
  critical: 'down',
};

/** The built-in plugin that tells everybody how the host is. */
export function createStatusPage({ uow, clock, plugin, health }: Deps) {
  let last: { readonly atMs: number; readonly facts: Promise<Omit<StatusReport, 'note' | 'panels'> & Parts> } | null =
    null;
  interface Parts {
    readonly panels: readonly PanelState[];
  }

  async function readFacts(): Promise<Omit<StatusReport, 'note' | 'panels'> & Parts> {
    const nowMs = clock.now();
    const [{ rows }, { stretches, downtimes }] = await Promise.all([
      health.current(),
      uow.read(async (tx) => ({
        stretches: await tx.health.list(nowMs - DAY, HOUR),
        downtimes: await tx.uptime.downtimes(),
      })),
    ]);
    const firstSlot = Math.floor(nowMs / HOUR) - HOURS + 1;
    const panels = rows
      .filter(({ key }) => key === 'panels')
      .map(({ subject, status }) => {
        const name = subject ?? '';
        const own = stretches.filter((each) => each.key === 'panels' && each.subject === name);
        return {
          name,
          state: STATES[status],
          hours: Array.from({ length: HOURS }, (_, index) => {
            const rank = own.find(({ slot }) => slot === firstSlot + index)?.rank;
            return rank === undefined ? null : STATES[HEALTH_STATUSES[rank] ?? 'ok'];
          }),
        };
      });
    const sinceMs = nowMs - DAYS * DAY;
    const recent = downtimes
      .filter(({ untilMs }) => untilMs > sinceMs)
      .map(({ fromMs, untilMs }) => ({ fromMs: Math.max(fromMs, sinceMs), untilMs }))
      .toReversed();
    const lostMs = recent.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0);
    const isAllUp = panels.every(({ state }) => state === 'up');
    return {
      // The product answers, so it is not down as a whole.
      state: isAllUp ? 'up' : 'partial',
      atMs: nowMs,
      panels,
      downtimes: recent,
      uptime: 1 - lostMs / (DAYS * DAY),
    };
  }

  /** How the host is, at most some seconds ago. Throws NOT_FOUND where the plugin is off. */
  async function get(): Promise<StatusReport> {
    if (!plugin.isOn()) throw new DomainError('NOT_FOUND');
    if (!last || clock.now() - last.atMs >= FRESH_MS || clock.now() < last.atMs) {
      const own = { atMs: clock.now(), facts: readFacts() };
      last = own;
      own.facts.catch(() => {
        if (last === own) last = null;
      });
    }
    const { note, show_panels: shows } = plugin.values();
    const facts = await last.facts;
    return { ...facts, note, panels: shows ? facts.panels : null };
  }
  return { get };
}
