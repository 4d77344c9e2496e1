export { createSso, type Sso } from './service.ts';
export { ssoProviderHooks } from './staff.ts';
