import { createAccounts } from './accounts/index.ts';
import { createBuilds, createBuildWorker } from './builds/index.ts';
import { createCapacity } from './capacity/index.ts';
import { createServerHistory, createServerJobs } from './core/index.ts';
import { createDebts } from './debts/index.ts';
import type { ServersDeps } from './deps.ts';
import { createLifecycle } from './lifecycle/index.ts';
import {
  createActNotes,
  createConsoles,
  createLive,
  createServerBackups,
  createServerFiles,
  createUsageHistory,
} from './live/index.ts';
import { createOutages } from './outages/index.ts';
import { createPanelCaller } from './panel/index.ts';
import { createPanelSync } from './panel-sync/index.ts';
import { createQueries } from './queries/index.ts';
import { createSchedules } from './schedules/index.ts';
import { createStaff } from './staff/index.ts';
import { createSubusers } from './subusers/index.ts';
import { createWaitingList } from './waiting-list/index.ts';

/** The submodules, each made of what it needs: an order in which none knows a later one. */
export function composeServers(deps: ServersDeps) {
  const { uow, long, clock, ids, log, random, panels, settings, ledger, limits, events } = deps;
  const jobs = createServerJobs(deps);
  const history = createServerHistory(deps);
  const callPanel = createPanelCaller(deps);
  const outages = createOutages({ clock, random, panels, events });
  const accounts = createAccounts({ uow, clock, ids, log, jobs, callPanel });
  const capacity = createCapacity({ uow, clock, log, panels, jobs, callPanel });
  const debts = createDebts({ clock, settings, ledger });
  const waitingList = createWaitingList({ uow, clock, ids, events, capacity });
  const notes = { jobs, history, events };
  const life = { uow, long, clock, ids, log, settings, ledger, limits, capacity, debts, panels, callPanel };
  const lifecycle = createLifecycle({ ...life, ...notes });
  const queries = createQueries({ clock, panels, settings, ledger, limits, capacity, debts, waitingList });
  const parts = { accounts, capacity, debts, lifecycle, outages, queries };
  const building = { uow, long, clock, ids, random, settings, callPanel, ...notes, ...parts };
  const builds = createBuilds(building);
  const syncing = { uow, long, clock, log, panels, callPanel, accounts, capacity, outages, builds };
  const panelSync = createPanelSync({ ...syncing, ...notes });
  const live = createLive({ uow, clock, ids, panels, history, callPanel, queryPlayers: deps.queryPlayers });
  const usageHistory = createUsageHistory({ uow, clock, settings });
  const actNotes = createActNotes({ uow, clock, history });
  const consoles = createConsoles({ uow, panels, callPanel, notes: actNotes });
  const files = createServerFiles({ uow, panels, notes: actNotes });
  const backups = createServerBackups({ uow, panels, history });
  const subusers = createSubusers({ uow, clock, ids, events, history, panels });
  const schedules = createSchedules({
    uow,
    clock,
    ids,
    settings,
    panels,
    jobs,
    history,
    callPanel,
    nextTime: deps.nextTime,
  });
  const staff = createStaff({
    uow,
    long,
    clock,
    ids,
    settings,
    ...notes,
    panels,
    callPanel,
    builds,
    lifecycle,
    live,
    panelSync,
  });
  const work = createBuildWorker(building);
  return {
    jobs,
    accounts,
    capacity,
    debts,
    waitingList,
    lifecycle,
    queries,
    builds,
    panelSync,
    live,
    usageHistory,
    actNotes,
    consoles,
    files,
    backups,
    subusers,
    schedules,
    staff,
    work,
  };
}
