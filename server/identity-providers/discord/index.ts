export { createDiscord, DISCORD_SCOPES } from './client.ts';
