import { createSettingHistory, createStaffSettings } from '../modules/settings/index.ts';
import type { Foundation } from './foundation.ts';

/** Settings for staff: the commands of the browser, and what was changed. */
export function composeStaffSettings(foundation: Foundation) {
  const staffSettings = createStaffSettings(foundation);
  return { staffSettings, settingHistory: createSettingHistory({ ...foundation, staff: staffSettings }) };
}
