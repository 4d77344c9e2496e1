import { define, type Migration } from './migration.ts';

/** Endpoints that are channels of Discord servers, beside those that take signed requests. */
export const discordChannels: Migration = {
  name: '0094_discord_channels',
  up: (step) => define(step, ["ALTER TABLE webhook_endpoints ADD COLUMN kind TEXT NOT NULL DEFAULT 'standard'"]),
};
