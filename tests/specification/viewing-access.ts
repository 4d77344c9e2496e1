/**
 * What staff may call while they view as a user, typed by hand (attacks T39, T61). What is not here is shut: to what is
 * open to anybody they are a guest, and they change nothing (behaviour 8.3).
 */
export const OPEN_TO_VIEWING: readonly string[] = [
  // The way out, and logging out, which is everybody’s.
  'POST /api/view-as/end',
  'POST /api/auth/logout',
  // The frame of the page, and what it hears.
  'GET /api/user/session',
  'GET /api/events',
  // What support has to see: servers, and why something is or is not offered.
  'GET /api/dashboard',
  'GET /api/servers',
  'GET /api/servers/:id',
  'GET /api/servers/:id/usage',
  'GET /api/servers/:id/usage/history',
  'GET /api/shared-servers/:id',
  'GET /api/servers/options',
  'GET /api/servers/availability',
  'GET /api/earn/afk',
  'GET /api/store',
  // What the host tells its users; nothing counts as read by it.
  'GET /api/announcements',
  'GET /api/announcements/:id',
  // What users see of each other.
  'GET /api/leaderboard',
  'GET /api/profiles/:id',
  'GET /api/lookup',
  'GET /api/users/:id/skin.png',
];
