import {
  useContext,
  useEffect,
  useEffectEvent,
  useState,
  useSyncExternalStore,
  type ComponentType,
  type ReactNode,
} from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { palette } from '#client/lib/palette.ts';
import { TextLoaderContext } from '#client/lib/text-loader.ts';
import { Icon } from '#client/ui/icon.tsx';
import { loadChunk } from '../chunk.ts';

type Panel = ComponentType<{ open: boolean; onClose: () => void }>;

const never = () => () => undefined;
const isApple = () => /mac|iphone|ipad/i.test(navigator.platform);
const notApple = () => false;

/**
 * The search of the top bar: opens the command palette, as Ctrl K (⌘ K) does everywhere. Its code and texts are fetched
 * on intent; a click before they have loaded opens it as soon as they have.
 */
export function PaletteButton(): ReactNode {
  const t = useT('shell');
  const loadTexts = useContext(TextLoaderContext);
  const apple = useSyncExternalStore(never, isApple, notApple);
  const [panel, setPanel] = useState<{ readonly Panel: Panel } | null>(null);
  const [state, setState] = useState<'closed' | 'opening' | 'open'>('closed');
  const load = () => Promise.all([import('./panel.tsx'), loadTexts(['palette'])]);
  const show = async (): Promise<void> => {
    setState('opening');
    try {
      const [{ PalettePanel }] = await loadChunk(load);
      setPanel({ Panel: PalettePanel });
      setState('open');
    } catch (error) {
      setState('closed');
      throw error;
    }
  };
  // A failure here is retried on click.
  const ahead = () => void (panel ?? load().catch(() => undefined));
  const toggle = useEffectEvent(() => {
    if (state === 'open') setState('closed');
    // Another dialog is open over the page and has the keyboard.
    else if (state === 'closed' && !document.querySelector('dialog[open]')) void show();
  });
  const onAsked = useEffectEvent(() => void (state === 'closed' && show()));
  // Effects, because keys and requests to open come from outside this component.
  useEffect(() => palette.onOpen(() => onAsked()), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      if (!event.repeat) toggle();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        className="sp-topbar__search"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        aria-busy={state === 'opening' || undefined}
        onClick={() => void show()}
        onPointerEnter={ahead}
        onFocus={ahead}
      >
        <Icon name="search" />
        <span className="sp-topbar__searchtext">{t('search')}</span>
        <span className="sp-topbar__searchkeys" aria-hidden="true">
          <kbd className="sp-kbd">{apple ? '⌘' : t('keyControl')}</kbd>
          <kbd className="sp-kbd">K</kbd>
        </span>
      </button>
      {panel && <panel.Panel open={state === 'open'} onClose={() => setState('closed')} />}
    </>
  );
}
