export { createZeroTrust } from './service.ts';
