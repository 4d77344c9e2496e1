export { addressesOf } from './addresses.ts';
export { createActNotes } from './act-notes.ts';
export { createServerBackups } from './backups.ts';
export { createConsoles, type ConsoleReader } from './console.ts';
export { createServerFiles, fileErrorOf } from './files.ts';
export { accessTo, createLive, problemOf, REFUSALS, targetOf, type Live } from './live.ts';
export { createUsageHistory } from './usage-history.ts';
export type { LiveUsage } from './live.ts';
export type { PlayerCount, PlayerQuery } from './players.ts';
