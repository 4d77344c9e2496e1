import { Prepared, type Handlers } from '#server/http/implement.types.ts';
import type { Bus } from '#server/modules/kernel.ts';
import type { Settings } from '#server/modules/settings/index.ts';
import { CONTRACT } from '#shared/contract/index.ts';
import { FLAGS, type Flags } from '#shared/flags.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { isSettingKey, SETTINGS, type SettingValues } from '#shared/settings.ts';

interface Services {
  readonly settings: Pick<Settings, 'current' | 'flags'>;
  readonly bus: Bus;
  /** Changes with every build. */
  readonly build: string;
  /** Version of the product; not told where absent. */
  readonly version?: string;
  /** Public address of the installation; takes the place of an empty `app_url`. */
  readonly appUrl?: string;
}

/** Public settings, feature flags, languages (specification, section 3). */
export function systemHandlers({ settings, bus, build, version, appUrl }: Services): Handlers<typeof CONTRACT.system> {
  let prepared: Prepared | null = null;
  bus.subscribe('settings.loaded', () => void (prepared = null));

  function prepare(): Prepared {
    const values = settings.current();
    const open = { ...publicSettings(values), ...(version ? { app_version: version } : {}), app_url: values.app_url || (appUrl ?? '') };
    const answer = { settings: open, flags: flagsOf(settings.flags()), locales: [...LOCALES], build };
    return new Prepared(JSON.stringify({ success: true, error_code: null, ...CONTRACT.system.settings.response.parse(answer) }));
  }

  return {
    async settings() {
      prepared ??= prepare();
      return prepared;
    },
  };
}

/** The settings that browsers may know; the flags stand apart from them. */
function publicSettings(values: SettingValues): Record<string, string | number | boolean> {
  const isFlag = (key: string) => (FLAGS as readonly string[]).includes(key);
  return Object.fromEntries(Object.entries(values).filter(([key]) => isSettingKey(key) && SETTINGS[key].public && !isFlag(key)));
}

function flagsOf(flags: Flags): Flags {
  return Object.fromEntries(FLAGS.map((flag) => [flag, flags[flag]])) as Flags;
}
