export { createDeletion, type Deletions } from './service.ts';
export { DELETION_JOB } from './close.ts';
export type { DeletionDeps } from './deps.ts';
export type { AccountDependants } from './staff.ts';
