export { createLimits, type Limits, type Meters } from './service.ts';
