export { createServers, type Servers } from './service.ts';
export { serverJobs, serverTasks } from './work.ts';
export { JOBS as SERVER_JOBS, type ServersDeps } from './deps.ts';
export type { CreateInput } from './create.ts';
export type { UpdateInput } from './update.ts';
export type { Drift, Orphan } from './reconcile.ts';
export type * from './panel-port.ts';
