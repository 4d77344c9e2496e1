export { createOverview, type Overview } from './service.ts';
