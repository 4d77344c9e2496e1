import type { output } from 'zod/mini';
import type {
  CarriedDebt,
  LiveUsage,
  OwnServer,
  Servers,
  SharedServerView,
  WaitingPlace,
} from '#server/modules/servers/index.ts';
import type { CarriedDebtView, ServerView, VariableView, WaitView } from '#shared/contract/server-views.ts';
import type { servers } from '#shared/contract/servers.ts';
import { RENEW_PRIORITIES, type RenewPriority } from '#shared/schemas/server.ts';
import { iso } from '#shared/time.ts';

type Contract = typeof servers;
type Options = Awaited<ReturnType<Servers['options']>>;
type OwnVariable = Options['categories'][number]['eggs'][number]['variables'][number];

/** Whole seconds, rounded up, of a time in ms. */
const toSeconds = (ms: number): number => Math.ceil(ms / 1000);
const toSecondsOrNull = (ms: number | null): number | null => (ms === null ? null : toSeconds(ms));

function presentQueue(entry: NonNullable<OwnServer['queue']>): NonNullable<ServerView['queue']> {
  const { id, state, position, attempts, waiting } = entry;
  return {
    id,
    state,
    position,
    estimate_s: toSecondsOrNull(entry.estimateMs),
    attempts,
    steps: entry.steps.map(({ atMs, code, detail }) => ({ at: iso(atMs), code, detail })),
    can_cancel: entry.canCancel,
    last_error: entry.lastError,
    waiting: waiting && { cause: waiting.cause, since: iso(waiting.sinceMs) },
  };
}

/** The stored order of a priority, the lowest first. */
export const orderOf = (priority: RenewPriority): number => RENEW_PRIORITIES.indexOf(priority) - 1;
const priorityOf = (order: number): RenewPriority => RENEW_PRIORITIES[order + 1] ?? 'normal';

/** A server as its owner sees it. */
export function presentServer(server: OwnServer): ServerView {
  const { id, name, description, state, failure, address, egg, location, resources, progress, pending, can } = server;
  return {
    id,
    name,
    description,
    state,
    suspend_reason: server.suspendReason,
    failure,
    address,
    egg,
    location,
    resources,
    progress,
    created_at: iso(server.createdMs),
    expires_at: iso(server.expiresMs),
    suspends_at: iso(server.suspendsMs),
    deletes_at: iso(server.deletesMs),
    auto_renew: server.autoRenew,
    renew_priority: priorityOf(server.autoRenewOrder),
    queue: server.queue && presentQueue(server.queue),
    pending,
    can,
  };
}

function presentDebt(debt: CarriedDebt | null): CarriedDebtView | null {
  return debt && { server: debt.server, owed: debt.owed, ended_at: iso(debt.endedMs), until: iso(debt.untilMs) };
}

function presentVariable({ env, name, description, defaultValue, rules, kind, options, unchecked }: OwnVariable) {
  return {
    env,
    name,
    description,
    default_value: defaultValue,
    rules,
    kind,
    options,
    unchecked,
  } satisfies VariableView;
}

/** A user's place on the waiting list of a location. */
export function presentPlace({ locationId, position, estimateMs, notifiedMs, createdMs }: WaitingPlace): WaitView {
  return {
    location_id: locationId,
    position,
    estimate_s: toSecondsOrNull(estimateMs),
    notified_at: iso(notifiedMs),
    since: iso(createdMs),
  };
}

/** Everything the create page needs. */
export function presentOptions(options: Options): output<Contract['options']['response']> {
  const { meters, renew, balance, queue, panel } = options;
  return {
    locations: options.locations.map(({ slotsFree, vipOnly, estimateMs, wait, ...location }) => ({
      ...location,
      slots_free: slotsFree,
      vip_only: vipOnly,
      estimate_s: toSecondsOrNull(estimateMs),
      wait: wait && presentPlace(wait),
    })),
    categories: options.categories.map(({ eggs, ...category }) => ({
      ...category,
      eggs: eggs.map(({ minMemory, minDisk, minCpu, vipOnly, variables, ...egg }) => ({
        ...egg,
        min_memory: minMemory,
        min_disk: minDisk,
        min_cpu: minCpu,
        vip_only: vipOnly,
        variables: variables.map(presentVariable),
      })),
    })),
    meters,
    renew,
    carried_debt: presentDebt(options.carriedDebt),
    balance,
    queue: { length: queue.length, estimate_s: toSeconds(queue.estimateMs) },
    panel,
  };
}

type Page = Awaited<ReturnType<Servers['get']>>;

const presentEvent = ({ id, atMs, code, detail, actor, byStaff }: Page['activity'][number]) => ({
  id,
  at: iso(atMs),
  code,
  detail,
  actor,
  by_staff: byStaff,
});

const presentSubuser = ({ userId, username, rights, createdMs }: NonNullable<Page['subusers']>[number]) => ({
  user_id: userId,
  username,
  rights: [...rights],
  added_at: iso(createdMs),
});

/** A server of somebody else as the dashboard and its page show it to who works on it. */
export const presentShared = ({ rights, ...server }: SharedServerView) => ({ ...server, rights: [...rights] });

/** The page of a server of somebody else. */
export function presentSharedPage(page: Awaited<ReturnType<Servers['getShared']>>) {
  return {
    server: presentShared(page.server),
    as_staff: page.asStaff,
    activity: page.activity.map(presentEvent),
    ports: page.ports,
    variables: page.variables.map((variable) => ({ ...presentVariable(variable), value: variable.value })),
  };
}

/** A server's own page. */
export function presentServerPage(page: Page): output<Contract['get']['response']> {
  const { meters, renew, panel, ports, links, wait, reinstall } = page;
  return {
    server: presentServer(page.server),
    meters,
    renew: {
      cost: renew.cost,
      days: renew.days,
      new_expiry: iso(renew.newExpiryMs),
      allowed: renew.allowed,
      reason: renew.reason,
      balance: renew.balance,
    },
    panel,
    activity: page.activity.map(presentEvent),
    subusers: page.subusers?.map(presentSubuser) ?? null,
    ports,
    links,
    variables: page.variables.map((variable) => ({ ...presentVariable(variable), value: variable.value })),
    wait: wait && presentPlace(wait),
    reinstall,
    debt_if_deleted: presentDebt(page.debtIfDeleted),
    carried_debt: presentDebt(page.carriedDebt),
    suspend_note: page.suspendNote,
  };
}

/** What a server uses right now: whole bytes, tenths of a percent, whole seconds. */
export function presentUsage({ problem, reading, players, delayMs }: LiveUsage): output<Contract['usage']['response']> {
  const delay_s = Math.round(delayMs / 1000);
  if (!reading) return { problem, at: null, usage: null, delay_s };
  const { power, memory, cpu, disk, uptime, network = null, halt = null } = reading.usage;
  return {
    problem,
    at: iso(reading.atMs),
    usage: {
      power,
      memory: Math.round(memory),
      cpu: Math.round(cpu * 10) / 10,
      disk: Math.round(disk),
      network,
      uptime_s: Math.floor(uptime / 1000),
      halt,
      players: players && { ...players, names: [...players.names] },
    },
    delay_s,
  };
}

/** What a server used by hour: processor time in tenths of a percent, everything else in whole bytes. */
export function presentUsageHistory(history: Awaited<ReturnType<Servers['usageHistory']>>) {
  const present = ({ cpu, ...bytes }: (typeof history.hours)[number]['average']) => ({ ...bytes, cpu: cpu / 10 });
  return {
    days: history.days,
    hours: history.hours.map(({ hourMs, average, highest }) => ({
      at: iso(hourMs),
      average: present(average),
      highest: present(highest),
    })),
  } satisfies output<Contract['usageHistory']['response']>;
}

/** What renewing a server came to. In: that, or what an earlier version stored as the answer to the same request. */
export const presentRenewal = (
  renewal:
    | { readonly expiresMs: number; readonly balance: number }
    | { readonly expires_at: string; readonly balance: number },
) => ('expires_at' in renewal ? renewal : { expires_at: iso(renewal.expiresMs), balance: renewal.balance });
