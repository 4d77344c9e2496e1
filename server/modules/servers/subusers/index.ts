export { createSubusers, type Subusers } from './service.ts';
