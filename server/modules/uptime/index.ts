export { createUptime } from './service.ts';
export { backSince } from './policy.ts';
export type { Downtime, UptimeRepo } from './ports.ts';
