export { unavailable } from './deps.ts';
export { createIdentities, type Identities, type LinkedIdentity, type LinkPage } from './service.ts';
export { snowflakeMs } from './snowflake.ts';
export type {
  Discord,
  DiscordInvite,
  DiscordMember,
  DiscordUser,
  IdentityRow,
  Outcome,
  Provider,
  Tokens,
} from './ports.ts';
