export { bytes, count, defineCheck, share, span, text, time, type Finding, type HealthCheck } from './check.ts';
export { LEDGER_TASK, moduleChecks } from './checks.ts';
export { createHealthPage, isRunning, type HealthPage } from './page.ts';
export {
  createHealth,
  SAMPLE_MS,
  type Health,
  type HealthHistory,
  type HealthReport,
  type HealthRow,
} from './service.ts';
