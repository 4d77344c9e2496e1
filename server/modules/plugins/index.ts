export { createClientModules, type ClientModules } from './client-modules.ts';
export { createFeeding, FEED_AGAIN_JOB, FEED_JOB } from './feeding.ts';
export { createInstalling, isPluginEvent, manifestFault, type Installing } from './installing.ts';
export { createPluginRegistry, PLUGINS_TOPIC, type PluginRegistry } from './registry.ts';
export { createRunning, RUNNING_TOPIC, type Running } from './running.ts';
export { createStatusPage, type StatusPage } from './status-page.ts';
export { createWelcomeGifts } from './welcome-gifts.ts';
