export type { ImportsDeps } from './deps.ts';
export type {
  ImportFiles,
  ImportNote,
  ImportOrigin,
  ImportOutcome,
  ImportPlace,
  ImportRun,
  ImportWorker,
  OnImportStep,
  PaymentElsewhere,
  RoleProposal,
  RunningImport,
  TakenUser,
} from './ports.ts';
export { isGivable, proposalsOf, decideRoles, type DecidedRole } from './roles.ts';
export { createImports, isForgotten, type Imports } from './service.ts';
export { newImportWork, type ImportWork } from './tasks.ts';
export { addCode, addPackage, addPayment, addTicket, departmentOf } from './things.ts';
export { createUndo } from './undo.ts';
export { addUser } from './users.ts';
