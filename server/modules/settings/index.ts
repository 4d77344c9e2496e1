export { createSettings, type Settings } from './service.ts';
export { createSettingHistory, type HistoryEntry, type SettingHistory } from './history.ts';
export { createServiceTests, type ServiceTest, type ServiceTests } from './service-tests.ts';
export type { SettingChanges } from './changes.ts';
export { createStaffSettings, type StaffSettings } from './staff.ts';
