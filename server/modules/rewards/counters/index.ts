export { lastDays } from './days.ts';
export { createCounters, type Counters, type EarnState, type Refusal } from './service.ts';
