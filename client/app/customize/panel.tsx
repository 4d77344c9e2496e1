import { useRef, useState, type ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { uiSettings } from '#client/lib/ui-settings-store.ts';
import { Button } from '#client/ui/button.tsx';
import { Drawer } from '#client/ui/dialog.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { canDebug, toggleDebugPanel } from '../debug/toggle.ts';
import { FILE_BYTES_MAX, readSettingsFile, writeSettingsFile } from './file.ts';
import { PartsTab } from './parts.tsx';
import { PerformanceTab } from './performance.tsx';
import { TabList } from './tab-list.tsx';
import { TransitionsTab } from './transitions.tsx';

type Tab = 'transitions' | 'parts' | 'performance';

/** The UI Customization panel: three tabs; every change shows at once on the page beside it. */
export function CustomizePanel({ open, onClose }: { open: boolean; onClose: () => void }): ReactNode {
  const t = useT('customize');
  const [tab, setTab] = useState<Tab>('transitions');
  return (
    <Drawer open={open} onClose={onClose} title={t('title')} foot={<Foot onClose={onClose} />}>
      <div className="sp-cz">
        <TabList
          label={t('tabs')}
          current={tab}
          onChoose={setTab}
          tabs={[
            { id: 'transitions', label: t('tabTransitions') },
            { id: 'parts', label: t('tabParts') },
            { id: 'performance', label: t('tabPerformance') },
          ]}
        >
          {tab === 'transitions' && <TransitionsTab />}
          {tab === 'parts' && <PartsTab />}
          {tab === 'performance' && <PerformanceTab />}
        </TabList>
        <SettingsFiles />
        <DebugEntry onClose={onClose} />
      </div>
    </Drawer>
  );
}

function Foot({ onClose }: { onClose: () => void }): ReactNode {
  const t = useT('customize');
  const reset = async () => {
    if (await dialogs.confirm({ title: t('resetTitle'), text: t('resetText'), ok: t('reset') })) uiSettings.reset();
  };
  return (
    <>
      <span className="sp-meta sp-grow">{t('saved')}</span>
      <Button variant="ghost" onClick={() => void reset()}>
        {t('reset')}
      </Button>
      <Button variant="primary" onClick={onClose}>
        {t('done')}
      </Button>
    </>
  );
}

/** Opens the debug panel where there is no keyboard. */
function DebugEntry({ onClose }: { onClose: () => void }): ReactNode {
  const t = useT('shell');
  if (!canDebug()) return null;
  const open = () => {
    onClose();
    toggleDebugPanel();
  };
  return (
    <div className="sp-row">
      <Button size="sm" variant="ghost" onClick={open}>
        {t('debugPanel')}
      </Button>
    </div>
  );
}

/** Exports the settings to a file and imports them. */
function SettingsFiles(): ReactNode {
  const t = useT('customize');
  const input = useRef<HTMLInputElement>(null);
  const [importResult, setImportResult] = useState<'imported' | 'importBad' | null>(null);
  const read = async (file: File | undefined) => {
    if (!file) return;
    const found = file.size > FILE_BYTES_MAX ? null : readSettingsFile(await file.text());
    if (found) uiSettings.replace(found.settings, found.transition);
    setImportResult(found ? 'imported' : 'importBad');
  };
  return (
    <div className="sp-cz__files">
      <div className="sp-row">
        <Button size="sm" variant="secondary" onClick={save}>
          {t('export')}
        </Button>
        <Button size="sm" variant="secondary" onClick={() => input.current?.click()}>
          {t('import')}
        </Button>
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept="application/json,.json"
        aria-label={t('importFile')}
        onChange={(event) => {
          void read(event.target.files?.[0]);
          // The same file may be chosen again.
          event.target.value = '';
        }}
      />
      <p className="sp-meta" data-bad={importResult === 'importBad' || undefined} aria-live="polite">
        {importResult && t(importResult)}
      </p>
    </div>
  );
}

/** Downloads the settings as a file. */
function save(): void {
  const url = URL.createObjectURL(
    new Blob([writeSettingsFile(uiSettings.get(), uiSettings.transition())], { type: 'application/json' }),
  );
  const link = Object.assign(document.createElement('a'), { href: url, download: 'ui-settings.json' });
  link.click();
  URL.revokeObjectURL(url);
}
