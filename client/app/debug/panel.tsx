import { useEffect, useRef, useSyncExternalStore, type KeyboardEvent, type ReactNode } from 'react';
import { I18nProvider, useT } from '#client/lib/i18n.tsx';
import { journal } from '#client/lib/journal.ts';
import { IconButton } from '#client/ui/button.tsx';
import '#client/ui/icons-debug.ts';
import { AppTab } from './app-tab.tsx';
import { ConsoleTab } from './console-tab.tsx';
import { ErrorsTab } from './errors-tab.tsx';
import { NetworkTab } from './network-tab.tsx';
import { Resizer } from './resizer.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { TABS, type PanelStore, type TabId } from './state.ts';
import { StorageTab } from './storage-tab.tsx';
import type { Terminal } from './terminal.ts';
import type { DebugHost } from './toggle.ts';

interface PanelProps {
  readonly host: DebugHost;
  readonly panel: PanelStore;
  readonly terminal: Terminal;
  readonly onClose: () => void;
}

/** The panel with its language, which follows the page's. */
export function DebugApp(props: PanelProps): ReactNode {
  const { stores, boot } = props.host;
  const translator = useSyncExternalStore(stores.subscribe, stores.translator);
  return (
    <I18nProvider translator={translator} timeZone={boot.timeZone}>
      <Panel {...props} />
    </I18nProvider>
  );
}

/** The debug panel (specification, section 2): six tabs. */
function Panel({ host, panel, terminal, onClose }: PanelProps): ReactNode {
  const t = useT('debug');
  const shell = useT('shell');
  const { tab, dock, size } = useSyncExternalStore(panel.subscribe, panel.get);
  const section = useRef<HTMLElement>(null);
  // An effect, because focus is the browser's.
  useEffect(() => section.current?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Esc closes from wherever the focus is inside
    <section ref={section} className="sp-debug__in" aria-label={t('title')} onKeyDown={onKeyDown}>
      <Resizer dock={dock} size={size} onChange={(next) => panel.change({ size: next })} />
      <div className="sp-debug__bar">
        <TabList current={tab} onPick={(next) => panel.change({ tab: next })} />
        <kbd className="sp-kbd sp-hide-phone" aria-hidden="true">
          {shell('keyControl')}
        </kbd>
        <kbd className="sp-kbd sp-hide-phone" aria-hidden="true">
          I
        </kbd>
        <IconButton icon="x" size="sm" label={t('close')} onClick={onClose} />
      </div>
      <div
        className="sp-debug__body"
        role="tabpanel"
        id="sp-debug-view"
        aria-labelledby={`sp-debug-${tab}`}
        data-tab={tab}
      >
        {tab === 'network' && <NetworkTab />}
        {tab === 'errors' && <ErrorsTab />}
        {tab === 'console' && <ConsoleTab terminal={terminal} />}
        {tab === 'app' && <AppTab host={host} />}
        {tab === 'storage' && <StorageTab />}
        {tab === 'settings' && <SettingsTab host={host} panel={panel} terminal={terminal} />}
      </div>
    </section>
  );
}

/** The six views; arrow keys go from one to the next. */
function TabList({ current, onPick }: { current: TabId; onPick: (tab: TabId) => void }): ReactNode {
  const t = useT('debug');
  const list = useRef<HTMLDivElement>(null);
  const counts: Partial<Record<TabId, number>> = {
    network: useSyncExternalStore(journal.subscribe, journal.requests).length,
    errors: useSyncExternalStore(journal.subscribe, journal.errors).length,
    console: useSyncExternalStore(journal.subscribe, journal.lines).length,
  };
  const go = (index: number) => {
    const next = TABS.at(index % TABS.length);
    if (!next) return;
    onPick(next);
    list.current?.querySelector<HTMLElement>(`#sp-debug-${next}`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = TABS.indexOf(current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  return (
    <div ref={list} className="sp-tabs" role="tablist" aria-label={t('tabs')} onKeyDown={onKeyDown} tabIndex={-1}>
      {TABS.map((id) => (
        <button
          key={id}
          id={`sp-debug-${id}`}
          type="button"
          role="tab"
          className="sp-tab"
          aria-selected={id === current}
          aria-controls={id === current ? 'sp-debug-view' : undefined}
          tabIndex={id === current ? 0 : -1}
          onClick={() => onPick(id)}
        >
          {t(`tab.${id}`)}
          {counts[id] !== undefined && counts[id] > 0 && <span className="sp-meta sp-num">{counts[id]}</span>}
        </button>
      ))}
    </div>
  );
}
