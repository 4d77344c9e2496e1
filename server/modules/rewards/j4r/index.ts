export { createJ4r, type J4r } from './service.ts';
export type { J4rDeps } from './deps.ts';
export { J4R_JOBS, j4rJobs, j4rTasks } from './work.ts';
export type { Card } from './cards.ts';
