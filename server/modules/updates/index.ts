export { newerThan, parseFeed } from './feed.ts';
export { createUpdates, type Updates } from './service.ts';
