import type { OverviewPart } from '#shared/overview.ts';
import { can } from '#shared/permissions.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY, dayIn } from '#shared/time.ts';
import { startOfDay } from '#shared/zoned.ts';
import { nameInAudit, readableAreas } from '../audit/index.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import { endsOf } from '../economy/index.ts';
import { permitted } from '../permit.ts';
import { lastDays } from '../rewards/counters/index.ts';
import type { LongReads, Tx, UnitOfWork } from '../tx.ts';

/** Rows of activity on the dashboard, and how far back it looks. */
const ACTIVITY = 12;
const ACTIVITY_MS = 30 * DAY;
/** Days of the trends at least, today included. */
const TREND_DAYS = 14;
/** Faults of the ledger on the dashboard. */
const FAULTS = 10;

interface Deps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
}
export type Overview = ReturnType<typeof createOverview>;

/**
 * The admin dashboard (behaviour 8.2): what the installation looks like now, and what is still missing before players
 * can create servers.
 */
export function createOverview({ uow, long, clock, settings }: Deps) {
  /**
   * The dashboard's numbers and check list; null where the caller has no permission for the component. In: how many
   * days the figures of the period are about, today included.
   */
  function get(ctx: SignedIn, periodDays: number) {
    const { permissions } = ctx.actor;
    const zone = settings.current().app_timezone;
    const today = startOfDay(clock.now(), zone);
    // Everybody is counted.
    return long.read(
      async (tx) => {
        const catalogue = await tx.catalog.counts();
        const setup = [
          { code: 'location', done: catalogue.locations > 0, route: 'admin.locations.create' },
          { code: 'category', done: catalogue.categories > 0, route: 'admin.eggCategories.create' },
          { code: 'egg', done: catalogue.eggs > 0, route: 'admin.eggs.create' },
        ];
        const glance = can(permissions, 'admin.dashboard.components.ataglanceanalytics.view');
        const numbers = glance ? await tx.overview.counts(today) : null;
        // As many days before those of the period are what it is compared with.
        const days = lastDays(dayIn(clock.now(), zone), Math.max(TREND_DAYS, 2 * periodDays));
        const trend = -Math.max(TREND_DAYS, periodDays);
        const credits = glance ? await creditsOf(tx, days) : null;
        const newUsers = glance ? await tx.overview.newUsers(today + DAY, days.length) : [];
        return {
          users: numbers?.users ?? null,
          usersToday: numbers?.usersSince ?? null,
          servers: numbers?.servers ?? null,
          serversSuspended: numbers?.suspended ?? null,
          queue: numbers?.queue ?? null,
          circulation: credits?.circulation ?? null,
          mintedToday: credits?.minted.at(-1) ?? null,
          burntToday: credits?.burnt.at(-1) ?? null,
          trends:
            numbers && credits
              ? {
                  users: endsOf(numbers.users, newUsers.slice(trend)),
                  servers: endsOf(numbers.servers, await tx.overview.newServers(today + DAY, -trend)),
                  circulation: credits.ends.slice(trend),
                  minted: credits.minted.slice(trend),
                  burnt: credits.burnt.slice(trend),
                }
              : null,
          period: credits ? periodOf({ ...credits, users: newUsers }, periodDays) : null,
          layout: await tx.overview.layout(ctx.actor.userId),
          ledger: can(permissions, 'admin.health.view') ? await ledgerState(tx) : null,
          setup,
        };
      },
      { for: 'visitor' },
    );
  }

  /** What was changed lately, newest first, each by name; of what the caller may list (attacks T59). */
  async function activity(ctx: SignedIn) {
    // A trail in which people changed nothing but their own accounts is walked to its end.
    const entries = await long.read(
      (tx) => tx.overview.activity(clock.now() - ACTIVITY_MS, ACTIVITY, readableAreas(ctx.actor.permissions)),
      { for: 'visitor' },
    );
    return entries.map((entry) => ({
      id: entry.id,
      atMs: entry.atMs,
      actor: entry.actor,
      action: entry.action,
      target: nameInAudit(entry),
    }));
  }

  /** Chooses the parts that the caller sees, in their order, each once; null: all of them, as at first. */
  const setLayout = permitted('admin.dashboard.view', (ctx: SignedIn, parts: readonly OverviewPart[] | null) =>
    uow.run((tx) => tx.overview.setLayout(ctx.actor.userId, parts === null ? null : [...new Set(parts)])),
  );

  return { get, activity, setLayout };
}

/** Credits of all users now and at the end of each day, and what system accounts gave out and took in on it. */
async function creditsOf(tx: Tx, days: readonly string[]) {
  const sums = (await tx.economy.days(days[0] ?? '')).filter(({ account }) => account.startsWith('system:'));
  const byDay = (column: 'minted' | 'burnt') =>
    days.map((day) => sums.reduce((all, row) => all + (row.day === day ? row[column] : 0), 0));
  const circulation = await tx.economy.circulation();
  const [minted, burnt] = [byDay('minted'), byDay('burnt')];
  return {
    circulation,
    minted,
    burnt,
    ends: endsOf(
      circulation,
      minted.map((credits, index) => credits - (burnt[index] ?? 0)),
    ),
  };
}

/** Sums of the last so many days, and of as many before them. */
function periodOf(byDay: Readonly<Record<'users' | 'minted' | 'burnt', readonly number[]>>, days: number) {
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const of = (from: number, to?: number) => ({
    users: sum(byDay.users.slice(from, to)),
    minted: sum(byDay.minted.slice(from, to)),
    burnt: sum(byDay.burnt.slice(from, to)),
  });
  return { days, now: of(-days), before: of(-2 * days, -days) };
}

/** What the last proof of the ledger found. */
async function ledgerState(tx: Tx) {
  const faults = await tx.ledgerFaults.list(FAULTS);
  return {
    total: faults.length < FAULTS ? faults.length : await tx.ledgerFaults.count(),
    faults: faults.map(({ proof, account, username, id, stored, expected, firstMs }) => ({
      proof,
      account: username ?? account,
      row: id,
      stored,
      expected,
      sinceMs: firstMs,
    })),
  };
}
