export { createJ4r, type Claimed, type J4r, type J4rPage } from './service.ts';
export type { J4rDeps } from './deps.ts';
export { J4R_JOBS, j4rJobs, j4rTasks } from './work.ts';
export type { Card, CardState } from './cards.ts';
