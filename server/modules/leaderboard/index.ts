export { createLeaderboard, type BoardView, type Leaderboard } from './service.ts';
