export { createPanelSync, type PanelSync } from './service.ts';
