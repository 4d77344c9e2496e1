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
const RELOCATES = 'if (!server || !(await keepLease(deps, tx, leased.entry.id, leased.leaseToken))) return false;';
const OWNER_BANNED = "if (user?.status !== 'active') return failLeasedBuild(deps, leased, 'banned', true);";
const CATALOG_GONE =
  "if (!egg || !location || panelEgg === null) return failLeasedBuild(deps, leased, 'catalogGone', true);";
const KEY_OR_REFUSAL =
  "if (answer.outcome === 'refused') return KEY_REFUSED.test(answer.reason) ? { cause: 'key', reason: answer.reason } : null;";
const UNAVAILABLE = "if (answer.outcome === 'unavailable') return { cause: answer.away ?? 'panel', reason: null };";
const OUTAGE_PAUSE =
  'const nextMs = now + withJitter(Math.min(longest, first * 2 ** Math.min(tries - 1, 10)), deps.random);';
const NEWEST = 'const page = await newest(panel, panelSeenMs ?? 0);';

export const SERVERS: readonly Accepted[] = [
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
    because: 'They write to different tables in one transaction, and none reads what the other wrote.',
  },
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'relocateBuild',
    changes: [[RELOCATES, RELOCATES.replace('false', 'true')]],
    because: 'What follows keeps the lease once more before the panel is asked.',
  },
];
