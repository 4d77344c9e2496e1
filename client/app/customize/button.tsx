import { useContext, useEffect, useEffectEvent, useState, type ComponentType, type ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { CUSTOMIZE_EVENT } from '#client/lib/palette.ts';
import { TextLoaderContext } from '#client/lib/text-loader.ts';
import { Icon } from '#client/ui/icon.tsx';
import { loadChunk } from '../chunk.ts';

type Panel = ComponentType<{ open: boolean; onClose: () => void }>;

/**
 * The floating button of the UI Customization panel (specification, section 2). The panel's code and texts are fetched
 * on intent.
 */
export function CustomizeButton(): ReactNode {
  const t = useT('ui');
  const loadTexts = useContext(TextLoaderContext);
  const [panel, setPanel] = useState<{ readonly Panel: Panel } | null>(null);
  const [open, setOpen] = useState(false);
  const load = () => Promise.all([import('./panel.tsx'), loadTexts(['customize'])]);
  const show = async () => {
    const [{ CustomizePanel }] = await loadChunk(load);
    setPanel({ Panel: CustomizePanel });
    setOpen(true);
  };
  const onAsked = useEffectEvent(() => void show());
  // An effect, because other parts of the page open it by a document event.
  useEffect(() => {
    const asked = () => onAsked();
    document.addEventListener(CUSTOMIZE_EVENT, asked);
    return () => document.removeEventListener(CUSTOMIZE_EVENT, asked);
  }, []);
  // A failure here is retried on click.
  const ahead = () => void (panel ?? load().catch(() => undefined));
  return (
    <aside aria-label={t('customize')}>
      <button
        type="button"
        className="sp-fab"
        aria-label={t('customize')}
        title={t('customize')}
        aria-haspopup="dialog"
        onClick={() => void show()}
        onPointerEnter={ahead}
        onFocus={ahead}
      >
        <Icon name="palette" size="lg" />
      </button>
      {panel && <panel.Panel open={open} onClose={() => setOpen(false)} />}
    </aside>
  );
}
