import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Status } from '#client/ui/status.tsx';
import type { PluginSummary } from '#shared/contract/plugins.ts';
import { PLUGIN_FAULTS_MAX } from '#shared/plugins.ts';

/** How a plugin does: on, off, being started, or turned off by itself. */
export function PluginStatus({ plugin: { on, installed } }: { plugin: PluginSummary }): ReactNode {
  const t = useT('plugins');
  if (!on && installed?.stopped) return <Status shape="failed">{t('failed')}</Status>;
  if (on && installed?.state === 'starting') return <Status shape="installing">{t('starting')}</Status>;
  if (on && installed?.state === 'waiting')
    return <Status shape="installing">{t('waiting', { faults: installed.faults, max: PLUGIN_FAULTS_MAX })}</Status>;
  return <Status shape={on ? 'active' : 'off'}>{t(on ? 'on' : 'off')}</Status>;
}
