export { createEarlySupporters, type EarlySupporters } from './service.ts';
