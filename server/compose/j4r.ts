import { createJ4r, j4rJobs, j4rTasks, type J4rDeps } from '../modules/rewards/j4r/index.ts';
import type { Foundation } from './foundation.ts';

/** Join for rewards over Discord (behaviour 4.3), with its jobs and tasks. */
export function composeJ4r(deps: Foundation & Pick<J4rDeps, 'payout' | 'identities' | 'discord'>) {
  const j4r = createJ4r(deps);
  return { j4r, jobs: j4rJobs(j4r), tasks: j4rTasks(j4r, () => deps.settings.current().j4r_enabled) };
}
