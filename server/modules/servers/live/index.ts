export { createLive, linksOf } from './live.ts';
