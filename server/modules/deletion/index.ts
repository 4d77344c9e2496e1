export { createDeletion, DELETION_JOB, type Deletions, type DeletionDeps } from './service.ts';
