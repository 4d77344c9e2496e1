import { HOUR, MINUTE } from '#shared/time.ts';
import type { J4r } from './service.ts';

/** Kinds of jobs. */
export const J4R_JOBS = { lookup: 'j4r.lookup' } as const;

/**
 * Jobs of join for rewards: looking up invites that staff entered. Where Discord does not answer, the runner tries
 * again.
 */
export function j4rJobs({ lookUpInvites }: Pick<J4r, 'lookUpInvites'>) {
  return {
    [J4R_JOBS.lookup]: {
      leaseMs: 5 * MINUTE,
      async handle(): Promise<void> {
        if (!(await lookUpInvites())) throw new Error('Discord did not answer');
      },
    },
  };
}

/** What comes round: claims that vest, also while nothing new can be earned, and the daily look at every invite. */
export function j4rTasks({ checkDue, lookUpInvites }: Pick<J4r, 'checkDue' | 'lookUpInvites'>, enabled: () => boolean) {
  return [
    { name: 'j4r.vesting', everyMs: 10 * MINUTE, run: async () => void (await checkDue()) },
    { name: 'j4r.invites', everyMs: HOUR, run: async () => void (enabled() && (await lookUpInvites())) },
  ];
}
