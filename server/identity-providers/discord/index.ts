export { createDiscord } from './client.ts';
