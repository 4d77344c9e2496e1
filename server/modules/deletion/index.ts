export { createDeletion, type Deletions } from './service.ts';
export { DELETION_JOB } from './work.ts';
export type { DeletionDeps } from './deps.ts';
