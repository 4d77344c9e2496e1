import type { Handlers } from '#server/http/implement.types.ts';
import type { Clock, SignedIn } from '#server/modules/kernel.ts';
import type { Ledger } from '#server/modules/ledger/index.ts';
import type { Limits } from '#server/modules/limits/index.ts';
import type { Counters } from '#server/modules/rewards/counters/index.ts';
import type { EarlySupporters } from '#server/modules/rewards/early-supporters/index.ts';
import type { Servers } from '#server/modules/servers/index.ts';
import type { Settings } from '#server/modules/settings/index.ts';
import type { Tx, UnitOfWork } from '#server/modules/tx.ts';
import type { dashboard as contract } from '#shared/contract/dashboard.ts';
import type { ServerView } from '#shared/contract/server-views.ts';
import { needsCredits } from '#shared/needs-credits.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import type { RouteId } from '#shared/routes/table.ts';
import type { NextStep } from '#shared/server-codes.ts';
import { DAY, HOUR, iso } from '#shared/time.ts';
import { startOfDay } from '#shared/zoned.ts';
import { presentServer, presentShared } from './present-servers.ts';

/** Days of the history, rows of the statement, and most proposals. */
const HISTORY_DAYS = 30;
const MAX_MOVEMENTS = 5;
const MAX_PROPOSALS = 6;
/** From this long before its expiry a server is proposed for renewal. */
const PROPOSE_RENEWAL_WITHIN = 3 * DAY;

interface Services {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'current' | 'flags'>;
  readonly ledger: Pick<Ledger, 'balance'>;
  readonly limits: Pick<Limits, 'meters'>;
  readonly counters: Pick<Counters, 'state'>;
  readonly servers: Pick<Servers, 'overview'>;
  readonly earlySupporters: Pick<EarlySupporters, 'view'>;
  readonly asksVerification: () => boolean;
}
interface Proposal {
  readonly code: NextStep;
  readonly subject: string | null;
  readonly amount: number | null;
  readonly at: string | null;
  readonly route: RouteId;
  readonly id: string | null;
}
const propose = (code: NextStep, route: RouteId, facts: Partial<Proposal> = {}): Proposal => ({
  subject: null,
  amount: null,
  at: null,
  id: null,
  ...facts,
  code,
  route,
});

/** The end of each of the last days in a time zone, as UTC ms, the oldest first; the last is now. */
function dayEnds(nowMs: number, zone: string): number[] {
  const noon = startOfDay(nowMs, zone) + 12 * HOUR;
  const ends = Array.from(
    { length: HISTORY_DAYS - 1 },
    (_, at) => startOfDay(noon - (HISTORY_DAYS - 2 - at) * DAY, zone) - 1,
  );
  return [...ends, nowMs];
}

/** What the owner of a server should do about it now, if anything. */
function serverProposals(server: ServerView, facts: { nowMs: number; cost: number; balance: number }): Proposal[] {
  const about = { subject: server.name, id: server.id };
  if (server.state === 'failed') return [propose('failed', 'server.view', about)];
  if (!server.can.renew || server.expires_at === null) return [];
  if (server.state === 'suspended')
    return [propose('unpaid', 'server.renew', { ...about, amount: facts.cost, at: server.deletes_at })];
  const soon = Date.parse(server.expires_at) - facts.nowMs <= PROPOSE_RENEWAL_WITHIN;
  const renewsItself = server.auto_renew && facts.balance >= facts.cost;
  return soon && !renewsItself
    ? [propose('renew', 'server.renew', { ...about, amount: facts.cost, at: server.suspends_at ?? server.expires_at })]
    : [];
}

/** The dashboard: balance and its history, meters, servers, latest movements, and what to do next. */
export function dashboardHandlers(services: Services): Handlers<typeof contract> {
  const { uow, clock, settings } = services;

  /** The price of one more server slot; null where the store sells none to a user with this limit. */
  async function slotPrice(tx: Tx, limit: number): Promise<number | null> {
    if (!settings.flags().store_enabled) return null;
    const item = (await tx.store.items()).find(
      (each) => each.kind === 'slots' && !each.vipOnly && limit + each.quantity <= each.limitTotal,
    );
    return item?.price ?? null;
  }

  async function readDashboard(tx: Tx, ctx: SignedIn, query: Parameters<typeof pageOf>[0]) {
    const { userId, verified } = ctx.actor;
    const now = clock.now();
    const flags = settings.flags();
    const account = `user:${userId}` as const;
    const ends = dayEnds(now, settings.current().app_timezone);
    const { page, perPage } = pageOf(query);
    const [balance, meters, own, afk, earnedToday, earned30Days, history, { rows: latest }] = await Promise.all([
      services.ledger.balance(tx, account),
      services.limits.meters(tx, userId),
      services.servers.overview(tx, userId),
      flags.afk_enabled ? services.counters.state(tx, userId, 'afk') : null,
      tx.ledger.earnedSince(account, startOfDay(now, settings.current().app_timezone)),
      tx.ledger.earnedSince(account, now - HISTORY_DAYS * DAY),
      tx.ledger.balanceAt(account, ends),
      // The statement is for its owner alone.
      ctx.actor.viewer ? { rows: [] } : tx.ledger.history(account, { limit: MAX_MOVEMENTS }),
    ]);
    const servers = own.servers.map(presentServer);
    const slot = meters.slots.used >= meters.slots.limit ? await slotPrice(tx, meters.slots.limit) : null;
    const facts = { nowMs: now, cost: own.renewCost, balance };
    const urgent = servers.flatMap((server) => serverProposals(server, facts));
    const urgentOf = (code: NextStep) => urgent.filter((proposal) => proposal.code === code);
    const afkLeft = afk && afk.cap > 0 ? afk.cap - afk.earnedToday : 0;
    const next = [
      ...urgentOf('unpaid'),
      ...urgentOf('renew'),
      ...(verified ? [] : [propose('verify', 'account')]),
      ...urgentOf('failed'),
      ...(servers.length === 0 && flags.allow_servers ? [propose('create', 'server.create')] : []),
      ...(afkLeft > 0 ? [propose('afk', 'earn.afk', { amount: afkLeft })] : []),
      ...(slot === null || servers.length === 0 ? [] : [propose('store', 'store', { amount: slot })]),
      ...(flags.code_redemption_enabled ? [propose('redeem', 'earn.redeem')] : []),
    ];
    return {
      now: iso(now),
      balance,
      earned_today: earnedToday,
      earned_30_days: earned30Days,
      history,
      afk: afk && { earned_today: afk.earnedToday, cap: afk.cap },
      meters,
      servers: servers.slice((page - 1) * perPage, page * perPage),
      paging: { page, per_page: perPage, total: servers.length },
      needing_credits: servers.filter((server) => needsCredits(server, now)).length,
      shared: own.shared.map(presentShared),
      renew_cost: own.renewCost,
      due: own.due,
      statement: latest.map(({ id, kind, subject, amount, balanceAfter, createdMs, counterpart }) => ({
        id,
        at: iso(createdMs),
        kind,
        subject,
        amount,
        balance_after: balanceAfter,
        counterpart,
      })),
      early_supporters: await readSupporters(tx, userId),
      next: next.slice(0, MAX_PROPOSALS),
    };
  }

  /** The places of early supporters, and how it stands with the caller; null where the feature is off. */
  async function readSupporters(tx: Tx, userId: string) {
    const found = await services.earlySupporters.view(tx, userId);
    const { referral_min_age_hours: hours, referral_afk_minutes: minutes } = settings.current();
    const terms = { min_age_hours: hours, afk_minutes: minutes, verification: services.asksVerification() };
    return found && { ...found, terms };
  }

  return { get: (ctx, { query }) => uow.read((tx) => readDashboard(tx, ctx, query)) };
}
