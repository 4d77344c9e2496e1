export { providerUnavailable } from './deps.ts';
export { createIdentities, type Identities, type LinkedIdentity } from './service.ts';
export { snowflakeMs } from './snowflake.ts';
export type { Discord, DiscordMember, Outcome } from './ports.ts';
