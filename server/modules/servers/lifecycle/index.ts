export { adoptServer, type AdoptInput } from './adopt.ts';
export { syncWithOwnerStatus, resumeAfterBan, suspendForBan } from './ban.ts';
export { addServer, createServer, requeueFailed, retryServer, type CreateInput } from './create.ts';
export {
  findCarriedDebt,
  closeDebt,
  debtIfDeleted,
  reopenDebt,
  type CarriedDebt,
} from './debt.ts';
export { cancelServer, cancelWaiting, deleteServer, removeServer } from './delete.ts';
export { processExpiry } from './expiry.ts';
export { deleteOrphan, getOrphan, type NamedOrphan } from './orphan.ts';
export {
  toNewOwner,
  lockExistingServer,
  getOwnerByLogin,
  getOwner,
} from './owners.ts';
export { reinstallAsStaff, reinstallState, reinstallServer } from './reinstall.ts';
export { listDue, renewAllDue, renewServer, setAutoRenew, renewalTerms } from './renew.ts';
export { type UpdateInput, updateServer } from './update.ts';
