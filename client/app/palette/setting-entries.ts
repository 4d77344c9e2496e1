import { useContext, useEffect, useEffectEvent, useState } from 'react';
import { useLooseT } from '#client/lib/i18n.tsx';
import type { PaletteEntry } from '#client/lib/palette.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { TextLoaderContext } from '#client/lib/text-loader.ts';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { loadChunk } from '../chunk.ts';

/** A setting that can be found. */
interface Known {
  readonly key: string;
  readonly group: string;
}

/**
 * Settings, for staff who see them: found by label, help and key, each at its place. The registry and its texts are
 * fetched when the palette opens; where that fails, the page of settings is still there.
 */
export function useSettingEntries(): readonly PaletteEntry[] {
  const loadTexts = useContext(TextLoaderContext);
  const allowed = can(useShell().session.permissions, 'admin.settings.view');
  const [known, setKnown] = useState<readonly Known[]>([]);
  const t = useLooseT('settings');
  const groups = useLooseT('staffSettings');
  const load = useEffectEvent(() =>
    Promise.all([import('#shared/settings.ts'), loadTexts(['settings', 'staffSettings'])]),
  );
  // An effect, because it loads once each time the palette opens.
  useEffect(() => {
    if (!allowed) return;
    let current = true;
    loadChunk(load).then(
      ([{ SETTINGS }]) =>
        current && setKnown(Object.entries(SETTINGS).map(([key, { group }]) => ({ key, group: String(group) }))),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [allowed]);
  return known.map(({ key, group }) => ({
    id: `setting.${key}`,
    group: 'settings',
    label: t(`${key}.label`) || key,
    hint: groups(`group.${group}.label`),
    words: [key, ...key.split('_'), t(`${key}.help`)],
    quiet: true,
    icon: 'settings',
    to: `${href('admin.settings')}?q=${key}`,
  }));
}
