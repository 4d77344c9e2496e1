export { createIdentity, type Identity } from './service.ts';
export { hasPassword } from './own-password.ts';
export type { Browser } from './login.ts';
export { requiresSecondFactor, requiresVerification } from './deps.ts';
export type { IdentityDeps } from './deps.ts';
export { isProven, lockForStaff } from './staff-lock.ts';
export type { SessionRow, UserRow } from './ports.ts';
export { mayView } from './viewing.ts';
export { blockOf, networkOf } from './throttle.ts';
