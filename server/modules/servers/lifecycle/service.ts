import { withDeps } from '../core/index.ts';
import { adoptServer } from './adopt.ts';
import { syncOwners, syncWithOwnerStatus } from './ban.ts';
import { addServer, createServer, requeueFailed, retryServer } from './create.ts';
import { cancelServer, cancelWaiting, deleteServer, removeServer } from './delete.ts';
import { processExpiry } from './expiry.ts';
import { deleteOrphan, getOrphan } from './orphan.ts';
import { setPrimaryPort } from './primary-port.ts';
import { removeAllOf } from './remove-all.ts';
import { reinstallAsStaff, reinstallServer } from './reinstall.ts';
import { listDue, renewAllDue, renewServer, setAutoRenew } from './renew.ts';
import { updateServer, updateVariables } from './update.ts';
import type { LifecycleDeps } from './deps.ts';

/** The life of a server: made, changed, paid for, suspended, deleted. */
export type Lifecycle = ReturnType<typeof createLifecycle>;

/** The life of a server: made, changed, paid for, suspended, deleted. */
export const createLifecycle = (deps: LifecycleDeps) =>
  withDeps(deps, {
    create: createServer,
    add: addServer,
    retry: retryServer,
    requeueFailed,
    update: updateServer,
    updateVariables,
    setPrimaryPort,
    renew: renewServer,
    renewAllDue,
    setAutoRenew,
    listDue,
    cancel: cancelServer,
    cancelWaiting,
    delete: deleteServer,
    remove: removeServer,
    removeAllOf,
    reinstall: reinstallServer,
    reinstallAsStaff,
    adopt: adoptServer,
    getOrphan,
    deleteOrphan,
    syncWithOwnerStatus,
    syncOwners,
    processExpiry,
  });
