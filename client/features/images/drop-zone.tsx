import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Form } from 'react-router';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Button, IconButton } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { IMAGE_CHOICES, IMAGE_MAX_BYTES } from '#shared/images.ts';
import { href } from '#shared/routes/href.ts';
import { useBytes } from './bytes.ts';
import type { Upload, Uploads } from './use-uploads.ts';

/** Where images are dropped, pasted or chosen; without scripts a form with one file. */
export function DropZone({ price, uploads }: { price: number; uploads: Uploads }): ReactNode {
  const t = useT('images');
  const hydrated = useHydrated();
  const [over, setOver] = useState(false);
  const { add } = uploads;
  // Whatever is dropped or pasted on the page is meant for it: the page as a whole listens.
  useEffect(() => {
    const take = (event: Event, data: DataTransfer | null): void => {
      const files = Array.from(data?.files ?? []);
      if (files.length === 0) return;
      event.preventDefault();
      add(files);
    };
    const listeners = new AbortController();
    const { signal } = listeners;
    const drag = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      setOver(false);
      take(event, event.dataTransfer);
    };
    document.addEventListener('paste', (event) => take(event, event.clipboardData), { signal });
    document.addEventListener('dragover', drag, { signal });
    document.addEventListener('dragleave', leave, { signal });
    document.addEventListener('drop', drop, { signal });
    return () => listeners.abort();
  });
  if (!hydrated)
    return (
      <Form method="post" action={href('images.upload')} encType="multipart/form-data" className="sp-drop">
        <Icon name="upload" size="lg" />
        <input type="file" name="file" accept={IMAGE_CHOICES} aria-label={t('chooseFile')} required />
        <Button type="submit" variant="primary">
          {t('upload')}
        </Button>
        <Facts price={price} />
      </Form>
    );
  return (
    <label className="sp-drop" data-over={over || undefined}>
      <input
        type="file"
        className="sp-sr"
        multiple
        accept={IMAGE_CHOICES}
        onChange={({ currentTarget }) => {
          add(Array.from(currentTarget.files ?? []));
          currentTarget.value = '';
        }}
      />
      <Icon name="upload" size="lg" />
      <span>{t('drop')}</span>
      <span className="sp-btn" data-variant="primary">
        {t('choose')}
      </span>
      <Facts price={price} />
    </label>
  );
}

function Facts({ price }: { price: number }): ReactNode {
  const t = useT('images');
  const bytes = useBytes();
  const size = bytes(IMAGE_MAX_BYTES);
  return <span className="sp-meta">{price === 0 ? t('factsFree', { size }) : t('facts', { size, count: price })}</span>;
}

/** The files on their way, and what became of them. */
export function UploadList({ uploads }: { uploads: Uploads }): ReactNode {
  const t = useT('images');
  if (uploads.uploads.length === 0) return null;
  return (
    <Card title={t('uploads')} flush>
      <div aria-live="polite">
        <List label={t('uploads')}>
          {uploads.uploads.map((upload) => (
            <UploadItem key={upload.id} upload={upload} uploads={uploads} />
          ))}
        </List>
      </div>
    </Card>
  );
}

function UploadItem({ upload, uploads }: { upload: Upload; uploads: Uploads }): ReactNode {
  const t = useT('images');
  const format = useFormat();
  const text = useUploadText();
  const { id, name, size, sent, state, image } = upload;
  const failed = state === 'lost' || state === 'refused';
  return (
    <ListItem
      icon={failed ? 'alert' : state === 'done' ? 'check' : 'image'}
      {...(failed ? { tone: 'danger' } : state === 'done' ? { tone: 'positive' } : {})}
      title={name}
      text={text(upload)}
      end={
        <>
          {state === 'sending' && <span className="sp-num">{format.percent(size === 0 ? 1 : sent / size)}</span>}
          {image && (
            <CopyButton text={image.link} what={t('copyWhat', { name })}>
              {t('copyLink')}
            </CopyButton>
          )}
          {state === 'lost' && (
            <Button size="sm" onClick={() => uploads.retry(id)}>
              {t('tryAgain')}
            </Button>
          )}
          <IconButton
            size="sm"
            icon="x"
            label={t(state === 'sending' ? 'cancel' : 'dismiss', { name })}
            onClick={() => uploads.remove(id)}
          />
        </>
      }
    />
  );
}

/** What is said of a file on its way. */
function useUploadText(): (upload: Upload) => string {
  const t = useT('images');
  const bytes = useBytes();
  const errorText = useErrorText();
  return ({ state, size, sent, code }) => {
    if (state === 'waiting') return t('waiting');
    if (state === 'done') return t('done');
    if (state === 'lost') return t('notSent');
    if (state === 'refused') return t('unpaid', { problem: errorText.code(code) });
    return sent >= size ? t('drawing') : t('sentOf', { sent: bytes(sent), all: bytes(size) });
  };
}
