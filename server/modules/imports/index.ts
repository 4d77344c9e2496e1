export type { ImportsDeps } from './deps.ts';
export type { ImportOrigin, ImportRun, TakenUser } from './ports.ts';
export { addCode, addPackage, addPayment, addTicket, departmentOf } from './things.ts';
export { createUndo } from './undo.ts';
export { addUser } from './users.ts';
