import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import type { StatusShape } from '#client/ui/status.tsx';
import type { PanelView } from '#shared/contract/panels.ts';
import { PANEL_CAUSES, type PanelFault } from '#shared/panel-codes.ts';

/** The text of a panel fault; an unknown code is shown as it is. */
export function useFaultText(): (fault: { readonly fault: PanelFault; readonly cause: string | null }) => string {
  const cause = useCauseText();
  const t = useT('panels');
  return (fault) => (fault.cause === null ? t(`fault.${fault.fault}`) : cause(fault.cause));
}

export function useCauseText(): (code: string) => string {
  const t = useT('panels');
  return (code) => {
    const known = PANEL_CAUSES.find((each) => each === code);
    if (known) return t(`cause.${known}`);
    const [, right] = /^right:(\w+)$/.exec(code) ?? [];
    if (right !== undefined) return t('causeRight', { right });
    const [, status] = /^status_(\w+)$/.exec(code) ?? [];
    return status === undefined ? code : t('causeStatus', { status });
  };
}

/** The status of a panel as text and shape: the worst known one wins. */
export function usePanelState(): (panel: PanelView) => { shape: StatusShape; text: string } {
  const t = useT('panels');
  return ({ enabled, key, health, checked }) => {
    if (!enabled) return { shape: 'off', text: t('state.disabled') };
    if (key.state === 'unreadable') return { shape: 'failed', text: t('state.unreadable') };
    if (health?.circuit === 'open') return { shape: 'failed', text: t('state.down') };
    if (health?.circuit === 'trying') return { shape: 'queued', text: t('state.trying') };
    if (checked === null) return { shape: 'queued', text: t('state.untested') };
    if (checked.fault !== null) return { shape: 'failed', text: t('state.failed') };
    return checked.rights.some(({ granted }) => !granted)
      ? { shape: 'paused', text: t('state.rights') }
      : { shape: 'active', text: t('state.connected') };
  };
}

/** Formats a time relative to the page's clock. */
export function useTimeText(): (at: string) => string {
  const format = useFormat();
  const now = useNow(60_000);
  return (at) => format.when(at, now);
}
