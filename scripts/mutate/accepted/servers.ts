import type { Accepted } from './accepted.types.ts';

const BACK = 'if (back.length > 0) await deps.uow.run((tx) => deps.outages.end(tx, back));';
const READY = "if (value.state === 'ready') return deps.uow.run((tx) => finishBuild(deps, tx, leased, value));";
const INSTALL_FAILED =
  "if (value.state === 'install_failed' || value.state === 'reinstall_failed') return failLeasedBuild(deps, leased, 'installFailed');";
const SPOKE = "read.outcome === 'ok' || read.outcome === 'not_found' || read.outcome === 'conflict'";
const CONFIRM = 'await deps.capacity.confirm(tx, server, made);';
const ADOPTED =
  "await tx.servers.update( server.id, { ...seen, syncedRevision: code === 'created' ? leased.server.revision : 0 }, now, );";
const MADE_STEPS = "await deps.history.logSteps(tx, leased.entry, [code, 'waiting']);";
const RELOCATES = 'if (!server || !(await renewLease(deps, tx, leased.entry.id, leased.leaseToken))) return false;';
const OWNER_BANNED = "if (!user.isActive) return failLeasedBuild(deps, leased, 'banned', true);";
const CATALOG_GONE =
  "if (!egg || !location || panelEgg === null) return failLeasedBuild(deps, leased, 'catalogGone', true);";
const KEY_OR_REFUSAL =
  "if (answer.outcome === 'refused') return KEY_REFUSED.test(answer.reason) ? { cause: 'key', reason: answer.reason } : null;";
const UNAVAILABLE = "if (answer.outcome === 'unavailable') return { cause: answer.away ?? 'panel', reason: null };";
const OUTAGE_PAUSE =
  'const nextMs = now + withJitter(Math.min(longest, first * 2 ** Math.min(tries - 1, 10)), deps.random);';
const NEWEST = 'const page = await newest(panel, panelSeenMs ?? 0);';
const PERIOD_ADDED = 'await tx.servers.update(server.id, { expiresMs, periods: server.periods + 1 }, now);';
const RENEWAL_RECORDED =
  "await deps.history.record(tx, server, actor === null ? 'autoRenewed' : 'renewed', iso(expiresMs), actor);";
const RESUMED_RECORDED = "await deps.history.record(tx, server, 'resumed', 'expired');";
const RESUMED_EMITTED = "await deps.events.emit(tx, 'server.resumed', { ...toServerFacts(server), revision });";
const PRICE_AS_SHOWN = "if (renewalTerms(deps).cost !== shown.price) throw new DomainError('PRICE_CHANGED');";
const EXPIRY_AS_SHOWN = "if (iso(server.expiresMs) !== shown.expiresAt) throw new DomainError('CONFLICT');";
const RENEWALS_ON = 'assertRenewals(deps);';
const OWNER_LOCKED = 'await tx.limits.lock(userId);';
const DUE_ORDER =
  'a.autoRenewOrder - b.autoRenewOrder || (a.expiresMs ?? 0) - (b.expiresMs ?? 0) || (a.id < b.id ? -1 : 1),';
const INSTALLED_STEP = "await deps.history.logStep(tx, entry, 'installed');";
const READY_RECORDED = "await deps.history.record(tx, server, 'ready');";
const ENTRY_FAILED = "await tx.servers.updateQueueEntry(entry.id, { state: 'failed', doneMs: now, lastError: code });";
const FAILED_STEP = "await deps.history.logStep(tx, entry, 'failed', code);";
const SERVER_FAILED = 'await failServer(deps, tx, server, code, entry.id);';
const RELEASED_STEP = "await deps.history.logStep(tx, entry, 'released');";
const DEBTS_REOPENED = 'await deps.debts.reopen(tx, server.id);';
const FAILURE_RECORDED = "await deps.history.record(tx, server, 'failed', code);";
const FAILURE_EMITTED =
  "await deps.events.emit(tx, 'server.failed', { ...toServerFacts(server), reason: code, failureKey: key });";
const KNOWN_STATE = 'await tx.servers.update(server.id, { panelState }, deps.clock.now());';
const RETRY_STEP = "await deps.history.logStep(tx, leased.entry, 'retry', why.outcome);";
const ENTRY_QUEUED =
  "await tx.servers.updateQueueEntry(entry.id, { state: 'queued', attempts: entry.attempts - 1, startedMs: null, waitingSinceMs, lastError: cause, });";
const SERVER_QUEUED = "await tx.servers.update(server.id, { state: 'queued', panelState }, now);";
const UNCERTAIN = 'certain = false,';
const OTHER_TABLES = 'They write to different tables in one transaction, and none reads what the other wrote.';
const LATE_ROW =
  "await tx.servers.update( server.id, { panelId: made.panelId, panelState: reportedState(made), desired: 'deleted', revision }, deps.clock.now(), );";
const LATE_SYNC = 'await deps.jobs.enqueueSync(tx, { id: server.id, revision });';
const OUTAGES_ENDED = 'if (ended.length > 0) await deps.uow.run((tx) => deps.outages.end(tx, ended));';
const MOVED_ROW = 'await tx.servers.update(server.id, { panelNode: node }, deps.clock.now());';
const MOVED_STEP = "await deps.history.logStep(tx, leased.entry, 'moved');";
const WAITS_FOR_NODE = ": waitForOutage(deps, leased, { cause: 'maintenance', reason: null }, true));";
const NO_ACCOUNT = "if (account.outcome !== 'ok') return handleFailure(deps, leased, account, true);";
const NOT_LOOKED_UP =
  "if (found.outcome !== 'ok' && found.outcome !== 'not_found') return handleFailure(deps, leased, found, true);";
const NODE_AWAY = "if (typeof node === 'object') return waitForOutage(deps, leased, node, true);";
const NODE_SHUT = "if (node === 'shut' && !(await relocateBuild(deps, leased, location, false))) return;";
const NOTHING_SENT =
  'Nothing was sent yet: what is known of the panel is what it was when the attempt began, surely or not.';

export const SERVERS: readonly Accepted[] = [
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'build',
    changes: [
      [OWNER_BANNED, OWNER_BANNED.replace('true', 'false')],
      [CATALOG_GONE, CATALOG_GONE.replace('true', 'false')],
      [NO_ACCOUNT, NO_ACCOUNT.replace('true', 'false')],
      [NOT_LOOKED_UP, NOT_LOOKED_UP.replace('true', 'false')],
      [NODE_AWAY, NODE_AWAY.replace('true', 'false')],
    ],
    because: NOTHING_SENT,
  },
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'relocateBuild',
    changes: [[WAITS_FOR_NODE, WAITS_FOR_NODE.replace('true', 'false')]],
    because: NOTHING_SENT,
  },
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'build',
    changes: [[`${NODE_AWAY} ${NODE_SHUT}`, `${NODE_SHUT} ${NODE_AWAY}`]],
    because: 'A node is either away or shut.',
  },
  {
    file: 'server/modules/servers/builds/worker.ts',
    within: 'pollInstall',
    changes: [
      [BACK, BACK.replace('>', '>=')],
      [`${READY} ${INSTALL_FAILED}`, `${INSTALL_FAILED} ${READY}`],
      [SPOKE, SPOKE.replace("|| read.outcome === 'conflict'", "&& read.outcome === 'conflict'")],
    ],
    because:
      'No outage is ended where none is named; a server is in one state; and what was not found, or is somebody else’s, is no outage.',
  },
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'build',
    changes: [[`${OWNER_BANNED} ${CATALOG_GONE}`, `${CATALOG_GONE} ${OWNER_BANNED}`]],
    because: 'Where both are so, either reason is true.',
  },
  {
    file: 'server/modules/servers/outages/outages.ts',
    within: 'causeOfFailure',
    changes: [[`${KEY_OR_REFUSAL} ${UNAVAILABLE}`, `${UNAVAILABLE} ${KEY_OR_REFUSAL}`]],
    because: 'An answer has one outcome.',
  },
  {
    file: 'server/modules/servers/outages/outages.ts',
    within: 'startOutage',
    changes: [[OUTAGE_PAUSE, OUTAGE_PAUSE.replace('10)', '11)')]],
    because: 'The minute is reached long before; the bound only keeps the number small.',
  },
  {
    file: 'server/modules/servers/builds/installs.ts',
    within: 'createInstallReader',
    changes: [[NEWEST, NEWEST.replace('?? 0', '?? 1')]],
    because: 'No page was read in the first millisecond of 1970.',
  },
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'adopt',
    changes: [
      [`${ADOPTED} ${CONFIRM}`, `${CONFIRM} ${ADOPTED}`],
      [`${CONFIRM} ${MADE_STEPS}`, `${MADE_STEPS} ${CONFIRM}`],
    ],
    because: OTHER_TABLES,
  },
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'relocateBuild',
    changes: [[RELOCATES, RELOCATES.replace('false', 'true')]],
    because: 'What follows keeps the lease once more before the panel is asked.',
  },
  {
    file: 'server/modules/servers/builds/finish.ts',
    within: 'finishBuild',
    changes: [[`${INSTALLED_STEP} ${READY_RECORDED}`, `${READY_RECORDED} ${INSTALLED_STEP}`]],
    because: OTHER_TABLES,
  },
  {
    file: 'server/modules/servers/builds/finish.ts',
    within: 'failBuild',
    changes: [
      [`${ENTRY_FAILED} ${FAILED_STEP}`, `${FAILED_STEP} ${ENTRY_FAILED}`],
      [`${FAILED_STEP} ${SERVER_FAILED}`, `${SERVER_FAILED} ${FAILED_STEP}`],
      [`${SERVER_FAILED} ${RELEASED_STEP}`, `${RELEASED_STEP} ${SERVER_FAILED}`],
    ],
    because: OTHER_TABLES,
  },
  {
    file: 'server/modules/servers/builds/finish.ts',
    within: 'failServer',
    changes: [
      [`${DEBTS_REOPENED} ${FAILURE_RECORDED}`, `${FAILURE_RECORDED} ${DEBTS_REOPENED}`],
      [`${FAILURE_RECORDED} ${FAILURE_EMITTED}`, `${FAILURE_EMITTED} ${FAILURE_RECORDED}`],
    ],
    because: OTHER_TABLES,
  },
  {
    file: 'server/modules/servers/builds/leased-entry.ts',
    within: 'retryLater',
    changes: [[`${KNOWN_STATE} ${RETRY_STEP}`, `${RETRY_STEP} ${KNOWN_STATE}`]],
    because: OTHER_TABLES,
  },
  {
    file: 'server/modules/servers/builds/leased-entry.ts',
    within: 'waitForOutage',
    changes: [[`${ENTRY_QUEUED} ${SERVER_QUEUED}`, `${SERVER_QUEUED} ${ENTRY_QUEUED}`]],
    because: OTHER_TABLES,
  },
  {
    file: 'server/modules/servers/builds/leased-entry.ts',
    within: 'failLeasedBuild',
    changes: [[UNCERTAIN, UNCERTAIN.replace('false', 'true')]],
    because:
      'Where it is left out, the panel was sent something before this attempt, or nothing ever was: it counts in neither.',
  },
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'adoptLate',
    changes: [[`${LATE_ROW} ${LATE_SYNC}`, `${LATE_SYNC} ${LATE_ROW}`]],
    because: OTHER_TABLES,
  },
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'relocateBuild',
    changes: [[`${MOVED_ROW} ${MOVED_STEP}`, `${MOVED_STEP} ${MOVED_ROW}`]],
    because: OTHER_TABLES,
  },
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'endRetriedOutages',
    changes: [[OUTAGES_ENDED, OUTAGES_ENDED.replace('>', '>=')]],
    because: 'No outage is ended where none is named.',
  },
  {
    file: 'server/modules/servers/lifecycle/renew.ts',
    within: 'payPeriod',
    changes: [[`${PERIOD_ADDED} ${RENEWAL_RECORDED}`, `${RENEWAL_RECORDED} ${PERIOD_ADDED}`]],
    because: OTHER_TABLES,
  },
  {
    file: 'server/modules/servers/lifecycle/renew.ts',
    within: 'resumeExpired',
    changes: [[`${RESUMED_RECORDED} ${RESUMED_EMITTED}`, `${RESUMED_EMITTED} ${RESUMED_RECORDED}`]],
    because: OTHER_TABLES,
  },
  {
    file: 'server/modules/servers/lifecycle/renew.ts',
    within: 'renewServer',
    changes: [[`${PRICE_AS_SHOWN} ${EXPIRY_AS_SHOWN}`, `${EXPIRY_AS_SHOWN} ${PRICE_AS_SHOWN}`]],
    because: 'Where price and expiry both changed, either refusal has the page read again.',
  },
  {
    file: 'server/modules/servers/lifecycle/renew.ts',
    within: 'renewAllDue',
    changes: [[`${RENEWALS_ON} ${OWNER_LOCKED}`, `${OWNER_LOCKED} ${RENEWALS_ON}`]],
    because: 'A refusal lets the lock go.',
  },
  {
    file: 'server/modules/servers/lifecycle/renew.ts',
    within: 'listDue',
    changes: [
      [DUE_ORDER, DUE_ORDER.replace('Order - b', 'Order + b')],
      [DUE_ORDER, DUE_ORDER.replace('a.expiresMs ?? 0', 'a.expiresMs ?? 1')],
      [DUE_ORDER, DUE_ORDER.replace('b.expiresMs ?? 0', 'b.expiresMs ?? 1')],
      [DUE_ORDER, DUE_ORDER.replace('? -1', '? -2')],
      [DUE_ORDER, DUE_ORDER.replace(': 1)', ': 2)')],
    ],
    because: 'The order of every server is 0, what is due has an end, and the sign alone counts.',
  },
];
