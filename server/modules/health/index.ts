export { bytes, count, defineCheck, share, span, text, time, type Finding, type HealthCheck } from './check.ts';
export { moduleChecks } from './checks.ts';
export { createHealthPage, type HealthPage } from './page.ts';
export { createHealth, SAMPLE_MS, type HealthReport } from './service.ts';
