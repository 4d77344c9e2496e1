import { skinPng } from '../images/skin-png.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createGifts } from '../modules/gifts/index.ts';
import { createLeaderboard } from '../modules/leaderboard/index.ts';
import { createProfiles } from '../modules/profiles/index.ts';
import { createRedirectLinks } from '../modules/redirect-links/index.ts';
import { createSkins } from '../modules/skins/index.ts';
import { SECOND } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/** How often the boards are brought up to date: a run without news costs two small transactions. */
const LEADERBOARD_MS = 10 * SECOND;

/** What users see of each other and give each other. */
export function composeCommunity(foundation: Foundation) {
  const leaderboard = createLeaderboard(foundation);
  const profiles = createProfiles({ ...foundation, leaderboard });
  const tasks: ScheduledTask[] = [
    { name: 'leaderboard.refresh', everyMs: LEADERBOARD_MS, run: async () => void (await leaderboard.refresh()) },
  ];
  const services = {
    leaderboard,
    profiles,
    gifts: createGifts({ ...foundation, profiles }),
    skins: createSkins({ ...foundation, codec: skinPng, shows: profiles.showsSkin }),
    redirectLinks: createRedirectLinks(foundation),
  };
  return { services, tasks };
}
