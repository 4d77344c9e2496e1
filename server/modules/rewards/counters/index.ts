export { lastDays } from './days.ts';
export { createCounters, type Claim, type Counters, type EarnState, type Refusal } from './service.ts';
export type { EarnSource } from './ports.ts';
