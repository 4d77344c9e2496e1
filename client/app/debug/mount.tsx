import { createRoot } from 'react-dom/client';
import { createTerminal } from './terminal.ts';
import { DebugApp } from './panel.tsx';
import { createPanelStore } from './state.ts';
import type { DebugHost } from './toggle.ts';

interface Mounted {
  toggle(): Promise<void>;
}
let mounted: Mounted | null = null;

/** Opens the panel or closes it. It is mounted beside the application, so that it survives the application's failure. */
export function togglePanel(host: DebugHost): void {
  mounted ??= mount(host);
  void mounted.toggle();
}

function mount(host: DebugHost): Mounted {
  const box = document.createElement('div');
  box.className = 'sp-debug';
  box.popover = 'manual';
  const panel = createPanelStore();
  const terminal = createTerminal();
  const root = createRoot(box);
  const page = document.documentElement;
  let open = false;
  let from: Element | null = null;
  let ready: Promise<unknown> | null = null;

  const attachToTopmost = () => {
    const parent = topmost();
    if (box.parentNode !== parent) parent.append(box);
    if (!box.matches(':popover-open')) box.showPopover();
  };
  const applyLayout = () => {
    const { dock, size } = panel.get();
    box.dataset.dock = dock;
    page.dataset.debug = dock;
    page.style.setProperty('--debug-size', String(size));
  };
  // A modal dialog makes everything outside of it inert: the panel moves into it, and out again before it is removed.
  const watcher = new MutationObserver(() => {
    if (box.parentNode !== topmost() || !box.isConnected) attachToTopmost();
  });
  panel.subscribe(() => {
    if (open) applyLayout();
  });

  const hide = () => {
    open = false;
    watcher.disconnect();
    root.render(null);
    box.remove();
    delete page.dataset.debug;
    if (from instanceof HTMLElement && from.isConnected) from.focus();
  };
  const show = async () => {
    open = true;
    from = document.activeElement;
    await (ready ??= Promise.all([host.texts.load(['debug']), loadStyles(`/assets/debug.css?v=${host.boot.build}`)]));
    // Closed again before everything was loaded.
    if (!open) return;
    applyLayout();
    attachToTopmost();
    root.render(<DebugApp host={host} panel={panel} terminal={terminal} onClose={hide} />);
    watcher.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['open'] });
  };
  return { toggle: async () => (open ? hide() : show()) };
}

function topmost(): Element {
  return [...document.querySelectorAll('dialog[open]')].findLast((dialog) => dialog.matches(':modal')) ?? document.body;
}

/** Loads the panel's stylesheet. Resolves on failure too: without it the panel is plain, but works. */
function loadStyles(address: string): Promise<void> {
  return new Promise((resolve) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = address;
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => resolve());
    document.head.append(link);
  });
}
