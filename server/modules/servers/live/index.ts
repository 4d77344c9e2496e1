export { createServerBackups } from './backups.ts';
export { createConsoles, type ConsoleReader } from './console.ts';
export { createServerFiles, fileErrorOf } from './files.ts';
export { createLive, problemOf, REFUSALS, serverFor, targetOf, type Live } from './live.ts';
export { createUsageHistory } from './usage-history.ts';
export type { LiveUsage } from './live.ts';
