export { createSettings, type SettingChanges, type Settings } from './service.ts';
