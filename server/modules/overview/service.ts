import { can } from '#shared/permissions.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY, dayIn, iso } from '#shared/time.ts';
import { startOfDay } from '#shared/zoned.ts';
import { nameInAudit, readableAreas } from '../audit/index.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import type { LongReads, Tx } from '../tx.ts';

/** Rows of activity on the dashboard, and how far back it looks. */
const ACTIVITY = 12;
const ACTIVITY_MS = 30 * DAY;
/** Faults of the ledger on the dashboard. */
const FAULTS = 10;

interface Deps {
  readonly long: LongReads;
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
}
export type Overview = ReturnType<typeof createOverview>;

/**
 * The admin dashboard (behaviour 8.2): what the installation looks like now, and what is still missing before players
 * can create servers.
 */
export function createOverview({ long, clock, settings }: Deps) {
  /** The dashboard's numbers and check list; null where the caller has no permission for the component. */
  function get(ctx: SignedIn) {
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
        const credits = glance ? await creditsOn(tx, dayIn(clock.now(), zone)) : null;
        return {
          users: numbers?.users ?? null,
          users_today: numbers?.usersSince ?? null,
          servers: numbers?.servers ?? null,
          servers_suspended: numbers?.suspended ?? null,
          queue: numbers?.queue ?? null,
          circulation: credits?.circulation ?? null,
          minted_today: credits?.minted ?? null,
          burnt_today: credits?.burnt ?? null,
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
    return {
      entries: entries.map((entry) => ({
        id: entry.id,
        at: iso(entry.atMs),
        actor: entry.actor,
        action: entry.action,
        target: nameInAudit(entry),
      })),
    };
  }

  return { get, activity };
}

/** Credits of all users, and what system accounts gave out and took in on a day. */
async function creditsOn(tx: Tx, day: string): Promise<{ circulation: number; minted: number; burnt: number }> {
  const sums = (await tx.economy.days(day)).filter(({ account }) => account.startsWith('system:'));
  const sumOf = (column: 'minted' | 'burnt') => sums.reduce((all, row) => all + row[column], 0);
  return { circulation: await tx.economy.circulation(), minted: sumOf('minted'), burnt: sumOf('burnt') };
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
      since: iso(firstMs),
    })),
  };
}
