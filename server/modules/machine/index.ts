export { createMachine, type Machine } from './service.ts';
