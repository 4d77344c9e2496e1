import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { ListSpec } from '#client/lib/url-state.ts';
import { readList } from '#client/lib/url-state.ts';
import { SETTING_GROUPS, type SettingGroup } from '#shared/setting-rows.ts';
import { isSettingKey, SETTINGS } from '#shared/settings.ts';

/** The address of the pages: a group of settings, or what is searched for. */
export const LIST = {
  sortable: ['label'],
  defaultSort: { key: 'label', dir: 'asc' },
  sizes: [500],
  filters: ['group'],
} as const satisfies ListSpec;

/** A group by its name in an address; null if there is none of that name. */
const groupOf = (name: string | null | undefined): SettingGroup | null =>
  SETTING_GROUPS.find((each) => each === name) ?? null;

/** All settings that the address may show: those of a group, or every one where it searches. */
export async function loadSettings(args: LoaderFunctionArgs, fallback: SettingGroup | null) {
  const { q, filters } = readList(new URL(args.request.url).search, LIST);
  const group = q === '' ? (groupOf(filters.group) ?? fallback) : groupOf(filters.group);
  const { rows, environment } = await apiOf(args).adminSettings.list({});
  const currency = String(rows.find(({ key }) => key === 'currency')?.value ?? '');
  return {
    group,
    q,
    currency,
    rows: rows.filter(({ key }) => isSettingKey(key) && (group === null || SETTINGS[key].group === group)),
    environment: environment.filter((each) => group === null || each.group === group),
  };
}
export type SettingsData = Awaited<ReturnType<typeof loadSettings>>;
