export { createSchedules } from './service.ts';
