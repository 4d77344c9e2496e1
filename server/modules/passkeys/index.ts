export { createPasskeys, type Passkeys } from './service.ts';
