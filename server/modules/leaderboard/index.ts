export { createLeaderboard, type Leaderboard } from './service.ts';
