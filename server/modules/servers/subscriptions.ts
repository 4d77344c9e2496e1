import { subscriber, type Subscription } from '../events/index.ts';
import type { Tx } from '../tx.ts';
import type { ServerJobs } from './core/index.ts';

/** What servers follow: bans of their owners and the ends of bans, and the names of their owners' panel accounts. */
export function serverSubscriptions(
  jobs: Pick<ServerJobs, 'enqueueAccount' | 'enqueueOwner'>,
): readonly Subscription[] {
  const enqueueOwner = (tx: Tx, { userId }: { userId: string }) => jobs.enqueueOwner(tx, userId);
  return [
    subscriber('user.banned', enqueueOwner),
    subscriber('user.unbanned', enqueueOwner),
    subscriber('user.ban_expired', enqueueOwner),
    subscriber('user.renamed', (tx, { userId }) => jobs.enqueueAccount(tx, userId)),
  ];
}
