export { createBackups, type Backups } from './service.ts';
export { newBackupState, type BackupState } from './tasks.ts';
export { backupCheck } from './check.ts';
export { isRecoveryKey } from './keys.ts';
export type {
  BackupFiles,
  BackupWorker,
  InstallationFigures,
  OnStep,
  Outcome,
  RemoteBackup,
  RemoteBackups,
} from './ports.ts';
