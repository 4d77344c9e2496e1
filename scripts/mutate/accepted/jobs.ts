import type { Accepted } from './accepted.types.ts';

const POOL = 'const state = { started: false, pollRequested: false };';
const REQUESTED = 'if (state.pollRequested && running.size < width) requestPoll();';
const GROUP = 'const [leaseMs, kinds] = groups[next % groups.length] ?? [0, []];';
const NOT_FULL = 'if (taken.length < most) await begin(tx, taken, most);';

export const JOBS: readonly Accepted[] = [
  {
    file: 'server/jobs/lease.ts',
    within: 'leaseByTime',
    changes: [
      ['let next = 0;', 'let next = 1;'],
      [GROUP, GROUP.replace('[0, []]', '[1, []]')],
    ],
    because: 'Which group comes first does not matter where all take turns; and there is always one at a place.',
  },
  {
    file: 'server/jobs/lease.ts',
    within: 'leaseFromLine',
    changes: [[NOT_FULL, NOT_FULL.replace('<', '<=')]],
    because: 'It looks at the line then, and begins none of it: nothing is left of the width.',
  },
  {
    file: 'server/jobs/runner.ts',
    within: 'poolLoop',
    changes: [[POOL, POOL.replace('started: false', 'started: true')]],
    because: 'Nobody requests a poll of a pool before it is started.',
  },
  {
    file: 'server/jobs/runner.ts',
    within: 'requestPoll',
    changes: [[REQUESTED, REQUESTED.replace(' requestPoll();', ' ;')]],
    because: 'The next second requests one as well; this only makes a job that came just then begin sooner.',
  },
  {
    file: 'server/data/repos/jobs.ts',
    within: 'add',
    changes: [['line?.priority ?? 0,', 'line?.priority ?? 1,']],
    because: 'Jobs that stand in no line are picked by their time alone.',
  },
];
