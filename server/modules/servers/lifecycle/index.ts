export type { CreateInput } from './create.ts';
export type { NamedOrphan } from './orphan.ts';
export { getOwner, getOwnerByLogin, lockExistingServer, toNewOwner } from './owners.ts';
export { reinstallState } from './reinstall.ts';
export { createLifecycle, type Lifecycle } from './service.ts';
