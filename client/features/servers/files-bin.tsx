import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useApi } from '#client/lib/use-api.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import type { BinnedFile } from '#shared/contract/server-files.ts';
import { refusalOf } from './use-folder.ts';

/** What was deleted from a server lately, to restore. */
export function FileBin(props: { id: string; mayWrite: boolean; onClose: () => void }): ReactNode {
  const { id, mayWrite, onClose } = props;
  const t = useT('live');
  const errors = useErrorText();
  const format = useFormat();
  const bytes = useBytesText();
  const api = useApi();
  const [entries, setEntries] = useState<readonly BinnedFile[] | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    setRefused(null);
    try {
      await work();
      setEntries((await api?.serverFiles.bin({ params: { id } }))?.entries ?? null);
    } catch (error) {
      setRefused(refusalOf(error));
    }
  };
  // An effect, because the bin is outside React.
  useEffect(() => {
    void run(async () => undefined);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- another server is another page
  }, []);
  const empty = async (): Promise<void> => {
    const sure = await dialogs.confirm({
      title: t('files.emptyBinTitle'),
      text: t('files.emptyBinText'),
      ok: t('files.emptyBin'),
      tone: 'danger',
    });
    if (sure) await run(async () => api?.serverFiles.emptyBin({ params: { id } }));
  };
  return (
    <div>
      <div className="sp-files__bar">
        <p className="sp-meta">{t('files.binText')}</p>
        <div className="sp-btn-row">
          <Button size="sm" variant="ghost" icon="arrow-left" onClick={onClose}>
            {t('files.back')}
          </Button>
          {mayWrite && entries !== null && entries.length > 0 && (
            <Button size="sm" variant="danger-quiet" icon="trash" onClick={() => void empty()}>
              {t('files.emptyBin')}
            </Button>
          )}
        </div>
      </div>
      {refused !== null && (
        <Banner tone="danger" live>
          {errors.code(refused)}
        </Banner>
      )}
      {entries?.length === 0 && <EmptyState art="trash" title={t('files.binEmpty')} />}
      {entries !== null && entries.length > 0 && (
        <List label={t('files.bin')}>
          {entries.map(({ id: entry, path, kind, size, deleted_at: at }) => (
            <ListItem
              key={entry}
              icon={kind === 'folder' ? 'folder' : 'file'}
              title={<span className="sp-files__lost">{path === '' ? t('files.lost') : path}</span>}
              text={[
                t('files.deletedAt', { date: format.dateTime(at) }),
                ...(kind === 'file' ? [bytes(size)] : []),
              ].join(' · ')}
              end={
                mayWrite &&
                path !== '' && (
                  <Button
                    size="sm"
                    icon="undo"
                    onClick={() =>
                      void run(async () => api?.serverFiles.restore({ params: { id }, body: { ids: [entry] } }))
                    }
                  >
                    {t('files.restore')}
                  </Button>
                )
              }
            />
          ))}
        </List>
      )}
    </div>
  );
}
