export type { MachineNode, SoldServer } from './ports.ts';
export { createMachine, type Machine } from './service.ts';
