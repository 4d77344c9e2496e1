export { permissionsWithin } from './policy.ts';
export { createApiTokens, type ApiTokens } from './service.ts';
