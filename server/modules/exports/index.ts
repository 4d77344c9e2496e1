export { createExports, EXPORT_JOB, type Exports, type ExportsDeps } from './service.ts';
