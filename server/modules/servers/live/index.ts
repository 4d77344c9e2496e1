export { createLive, type Live } from './live.ts';
export type { LiveUsage } from './live.ts';
