import { subscriber, type Subscription } from '../events/index.ts';
import type { Tx } from '../tx.ts';
import { enqueue, SERVER_JOBS, enqueueAccount, type ServersDeps } from './core/index.ts';

/** What servers follow: bans of their owners and the ends of bans, and the names of their owners' panel accounts. */
export function serverSubscriptions(deps: ServersDeps): readonly Subscription[] {
  const enqueueOwner = (tx: Tx, { userId }: { userId: string }) =>
    enqueue(deps, tx, { kind: SERVER_JOBS.owner, payload: { userId }, uniqueKey: `owner:${userId}` });
  return [
    subscriber('user.banned', enqueueOwner),
    subscriber('user.unbanned', enqueueOwner),
    subscriber('user.ban_expired', enqueueOwner),
    subscriber('user.renamed', (tx, { userId }) => enqueueAccount(deps, tx, userId)),
  ];
}
