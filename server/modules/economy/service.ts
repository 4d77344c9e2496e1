import { EARNING_SOURCES, SOURCE_NAMES, type EarningSource } from '#shared/earning-sources.ts';
import type { SettingKey, SettingValues } from '#shared/settings.ts';
import { dayIn } from '#shared/time.ts';
import type { Clock, Ctx, SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import { lastDays } from '../rewards/counters/index.ts';
import type { LongReads, Tx, UnitOfWork } from '../tx.ts';
import { endsOf, flowsOf, forecastOf, netOf, velocityOf, type Flow, type Forecast } from './figures.ts';
import type { DayLine, Earner } from './ports.ts';

/** Lines of one export. */
const EXPORT_MAX = 50_000;
/** People among the top earners. */
const EARNERS = 10;

interface Deps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly settings: {
    current(): SettingValues;
    set(ctx: Ctx | null, changes: Partial<Record<SettingKey, unknown>>): Promise<void>;
  };
}
interface SourceState {
  readonly source: EarningSource;
  readonly enabled: boolean;
  /** Credits paid today, and at most; 0 = no budget. */
  readonly used: number;
  readonly budget: number;
}
interface EconomyView {
  /** The days of the figures, oldest first, today last. */
  readonly days: readonly string[];
  readonly flows: readonly Flow[];
  /** At the end of each day; of today: now. */
  readonly circulation: readonly number[];
  readonly velocity: number | null;
  readonly reserved: { readonly count: number; readonly credits: number };
  /** Of them, the rewards that wait for review. */
  readonly held: { readonly count: number; readonly credits: number };
  readonly sources: readonly SourceState[];
  readonly earners: readonly Earner[];
  readonly forecast: Forecast | null;
}
export type Economy = ReturnType<typeof createEconomy>;

/** The economy of the installation in figures, and its kill switches (behaviour 8.2). Days are those of `app_timezone`. */
export function createEconomy({ uow, long, clock, settings }: Deps) {
  const today = (): string => dayIn(clock.now(), settings.current().app_timezone);

  /** The last `count` days, today included. */
  function view(count: number): Promise<EconomyView> {
    const days = lastDays(today(), count);
    return uow.read(async (tx) => {
      const sums = await tx.economy.days(days[0] ?? today());
      const flows = flowsOf(days, sums);
      const net = netOf(days, flows);
      const now = await tx.economy.circulation();
      const circulation = endsOf(now, net);
      const busy = new Set(sums.map(({ day }) => day));
      return {
        days,
        flows,
        circulation,
        velocity: velocityOf(
          sums.reduce((all, { burnt, moved }) => all + burnt + moved, 0),
          circulation,
        ),
        reserved: await tx.economy.held(),
        held: await tx.abuse.openTotals(),
        sources: await sourcesOf(tx),
        earners: await tx.economy.earners(today().slice(0, 7), EARNERS),
        forecast: forecastOf(
          now,
          net,
          days.map((day) => busy.has(day)),
        ),
      };
    });
  }

  async function sourcesOf(tx: Tx): Promise<SourceState[]> {
    const values = settings.current();
    const states: SourceState[] = [];
    for (const source of SOURCE_NAMES)
      states.push({
        source,
        enabled: values[EARNING_SOURCES[source].enabled],
        used: await tx.counters.get('*', source, today()),
        budget: values[`${source}_daily_budget`],
      });
    return states;
  }

  /** Every sum of the last `count` days, by account and kind. */
  function lines(count: number): Promise<{ today: string; lines: DayLine[] }> {
    return long.read(
      async (tx) => ({
        today: today(),
        lines: await tx.economy.lines(lastDays(today(), count)[0] ?? today(), EXPORT_MAX),
      }),
      { for: 'visitor' },
    );
  }

  /** Turns a source on or off, at once and everywhere; the settings write the audit row. */
  const setEnabled = permitted(
    'admin.economy.edit',
    (ctx: SignedIn, source: EarningSource, enabled: boolean): Promise<void> =>
      settings.set(ctx, { [EARNING_SOURCES[source].enabled]: enabled }),
  );

  return { view, lines, setEnabled };
}
