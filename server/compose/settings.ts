import { createSettingHistory, createStaffSettings } from '../modules/settings/index.ts';
import type { Backups } from '../modules/backups/index.ts';
import type { Foundation } from './foundation.ts';

/** Settings for staff: the commands of the browser, and what was changed. */
export function composeStaffSettings({
  backups,
  ...foundation
}: Foundation & { readonly backups: Pick<Backups, 'countDropped'> }) {
  const deps = { ...foundation, countDroppedBackups: backups.countDropped };
  const staffSettings = createStaffSettings(deps);
  return { staffSettings, settingHistory: createSettingHistory({ ...deps, staff: staffSettings }) };
}
