export { createBackups, newBackupState, type Backups, type BackupState } from './service.ts';
export { backupCheck } from './check.ts';
export type { BackupFiles, BackupWorker, OnStep, Outcome } from './ports.ts';
