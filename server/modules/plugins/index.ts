export { createPluginRegistry, type PluginRegistry } from './registry.ts';
export { createStatusPage, type StatusPage } from './status-page.ts';
export { createWelcomeGifts } from './welcome-gifts.ts';
