export { createEmbeddedPanel, type EmbeddedDeps, type EmbeddedStore } from './embedded/panel.ts';
