export { createUptime, type Uptime } from './service.ts';
export { backSince } from './policy.ts';
export type { Outage, UptimeRepo } from './ports.ts';
