import { subscriber, type Subscription } from '../events/index.ts';
import type { Tx } from '../tx.ts';
import type { ServerJobs } from './core/index.ts';
import type { Subusers } from './subusers/index.ts';

/**
 * What servers follow: bans of their owners and sub-users, the ends of bans, and the names and addresses of their
 * owners' panel accounts.
 */
export function serverSubscriptions({
  jobs,
  subusers,
}: {
  readonly jobs: Pick<ServerJobs, 'enqueueAccount' | 'enqueueOwner'>;
  readonly subusers: Pick<Subusers, 'endForBan'>;
}): readonly Subscription[] {
  const enqueueOwner = (tx: Tx, { userId }: { userId: string }) => jobs.enqueueOwner(tx, userId);
  const enqueueAccount = (tx: Tx, { userId }: { userId: string }) => jobs.enqueueAccount(tx, userId);
  return [
    subscriber('user.banned', enqueueOwner),
    subscriber('user.banned', (tx, { userId }) => subusers.endForBan(tx, userId)),
    subscriber('user.unbanned', enqueueOwner),
    subscriber('user.ban_expired', enqueueOwner),
    subscriber('user.renamed', enqueueAccount),
    subscriber('user.username_changed', enqueueAccount),
    subscriber('user.email_changed', enqueueAccount),
    subscriber('user.email_restored', enqueueAccount),
  ];
}
