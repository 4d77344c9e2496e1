export { createLinks, type Links } from './service.ts';
