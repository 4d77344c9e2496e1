export { createAccounts, type Accounts } from './service.ts';
