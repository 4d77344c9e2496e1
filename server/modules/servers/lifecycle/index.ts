export { adoptServer, type AdoptInput } from './adopt.ts';
export { syncWithOwnerStatus as followOwner, resumeAfterBan, suspendForBan } from './ban.ts';
export { addServer, createServer, requeueFailed as requeue, retryServer, type CreateInput } from './create.ts';
export {
  findCarriedDebt as beginningOf,
  closeDebt,
  debtIfDeleted as leftBy,
  reopenDebt,
  type CarriedDebt as Beginning,
} from './debt.ts';
export { cancelServer, cancelWaiting, deleteServer, removeServer as dropServer } from './delete.ts';
export { processExpiry as expiryTick } from './expiry.ts';
export { deleteOrphan as dropOrphan, getOrphan as orphanAt, type NamedOrphan as OrphanName } from './orphan.ts';
export {
  toNewOwner as asOwner,
  lockExistingServer as lockAlive,
  getOwnerByLogin as ownerBy,
  getOwner as ownerOf,
} from './owners.ts';
export { reinstallAsStaff, reinstallState as reinstallOf, reinstallServer } from './reinstall.ts';
export { listDue as dueOf, renewAllDue, renewServer, setAutoRenew, renewalTerms as terms } from './renew.ts';
export { type UpdateInput, updateServer } from './update.ts';
