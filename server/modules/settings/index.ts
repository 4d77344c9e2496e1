export { createSettings, type Settings } from './service.ts';
export type { SettingChanges } from './changes.ts';
export { createStaffSettings, type SettingChange, type SettingView, type StaffSettings } from './staff.ts';
