import { subscriber } from '../events/index.ts';
import type { DeletionDeps } from './deps.ts';
import { createDeletionRequest } from './request.ts';
import { createStaffDeletion } from './staff.ts';
import { createDeletionWork } from './work.ts';

export type Deletions = ReturnType<typeof createDeletion>;

/**
 * Deleting one's account (behaviour 3.8; attacks T56): asked for with the password, seven days to change one's mind,
 * then a job.
 */
export function createDeletion(deps: DeletionDeps) {
  /** Whoever took the account over may have asked for its end: the owner who takes it back keeps it. */
  const restored = subscriber('user.email_restored', (tx, { userId }) => tx.deletions.remove(userId));

  return {
    ...createDeletionRequest(deps),
    ...createDeletionWork(deps),
    staff: createStaffDeletion(deps),
    subscriptions: [restored],
  };
}
