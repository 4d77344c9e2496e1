export { createAfk, type Afk, type AfkBeat, type AfkView } from './service.ts';
export type { AfkEvent } from './stream.ts';
export type { Timer } from './ports.ts';
