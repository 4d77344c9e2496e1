export { lastDays } from './days.ts';
export { createCounters, refusalOf, type Counters, type EarnState, type Refusal } from './service.ts';
