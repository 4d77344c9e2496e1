export { discordRolesCheck } from './check.ts';
export { SYNC_JOB } from './deps.ts';
export { createDiscordRolesStaff, type DiscordRolesStaff, type DiscordRolesView } from './staff.ts';
export { createSyncing } from './syncing.ts';
