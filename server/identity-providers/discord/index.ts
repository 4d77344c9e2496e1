export { createDiscord } from './client.ts';
export { createDiscordBot } from './bot.ts';
