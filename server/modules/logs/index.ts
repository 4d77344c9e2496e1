export { createLogs, type LogPort, type Logs } from './service.ts';
