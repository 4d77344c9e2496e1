export { createSetupGuide, type SetupGuide } from './service.ts';
