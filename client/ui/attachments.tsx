import { useRef } from 'react';
import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import type { AttachedFiles } from '#client/lib/use-attachments.ts';
import { ATTACHMENT_ACCEPT, ATTACHMENTS_MAX } from '#shared/attachments.ts';
import type { AttachmentView } from '#shared/contract/ticket-shapes.ts';
import { Button, IconButton } from './button.tsx';
import { useFormErrors } from './form-context.ts';
import { Icon } from './icon.tsx';
import { Progress } from './progress.tsx';

const KILOBYTE = 1024;

/** The button that chooses files; others are dropped on the composer or pasted into its text. */
export function AttachButton({ files }: { files: AttachedFiles }): ReactNode {
  const t = useT('tickets');
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={ATTACHMENT_ACCEPT}
        onChange={({ currentTarget }) => {
          files.add([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      <Button
        size="sm"
        variant="ghost"
        icon="paperclip"
        disabled={files.room <= 0}
        title={t('attachHint', { max: ATTACHMENTS_MAX })}
        onClick={() => input.current?.click()}
      >
        {t('attach')}
      </Button>
    </>
  );
}

/** The files of a message that is being written: those that are there, and those on their way. */
export function AttachedList({ files }: { files: AttachedFiles }): ReactNode {
  const t = useT('tickets');
  const form = useFormErrors();
  const { kept, pending } = files;
  const code = form.errors.attachments;
  if (kept.length + pending.length === 0) return null;
  return (
    <div className="sp-stack">
      <ul className="sp-attached" aria-label={t('files')}>
        {kept.map((file) => (
          <li key={file.id} className="sp-attached__item">
            <input type="hidden" name="attachments" value={file.id} />
            <Thumb file={file} address={files.addressOf(file.id)} />
            <FileName name={file.name} bytes={file.bytes} />
            <IconButton
              icon="x"
              size="sm"
              label={t('removeFile', { name: file.name })}
              onClick={() => files.remove(file.id)}
            />
          </li>
        ))}
        {pending.map(({ key, file, share, problem, isRetryable }) => (
          <li key={key} className="sp-attached__item" data-problem={problem !== '' || undefined}>
            <span className="sp-attached__icon">
              <Icon name={problem === '' ? 'upload' : 'alert'} />
            </span>
            {problem === '' ? (
              <Progress label={file.name} {...(share < 1 ? { value: share } : {})} />
            ) : (
              <span className="sp-attached__name" role="alert">
                <span className="sp-truncate">{file.name}</span>
                <span className="sp-attached__problem">{problem}</span>
              </span>
            )}
            {isRetryable && problem !== '' && (
              <IconButton icon="reset" size="sm" label={t('tryAgain')} onClick={() => files.retry(key)} />
            )}
            <IconButton
              icon="x"
              size="sm"
              label={t('removeFile', { name: file.name })}
              onClick={() => files.remove(key)}
            />
          </li>
        ))}
      </ul>
      {code !== undefined && (
        <p className="sp-field__error">
          <Icon name="alert" size="sm" />
          {form.translate(code, 'attachments')}
        </p>
      )}
    </div>
  );
}

/** The files of a message: pictures small, each a link to the whole one; texts by name, to be saved. */
export function MessageFiles({
  files,
  address,
}: {
  files: readonly AttachmentView[];
  /** Where they are read. */
  address: string;
}): ReactNode {
  const t = useT('tickets');
  if (files.length === 0) return null;
  return (
    <ul className="sp-files" aria-label={t('files')}>
      {files.map((file) => (
        <li key={file.id}>
          {file.width === null ? (
            <a className="sp-attached__item" href={`${address}/${file.id}`} download>
              <span className="sp-attached__icon">
                <Icon name="file" />
              </span>
              <FileName name={file.name} bytes={file.bytes} />
              <Icon name="download" size="sm" />
            </a>
          ) : (
            <a href={`${address}/${file.id}?form=view`} target="_blank" rel="noreferrer">
              <img
                className="sp-files__picture"
                src={`${address}/${file.id}?form=preview`}
                {...previewSize(file)}
                alt={file.name}
                loading="lazy"
                decoding="async"
              />
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}

/** How large a picture stands in the conversation, so that nothing moves when it arrives. */
function previewSize({ width, height }: AttachmentView): { width: number; height: number } {
  const [wide, high] = [width ?? 1, height ?? 1];
  const scale = Math.min(1, 240 / wide, 180 / high);
  return { width: Math.max(1, Math.round(wide * scale)), height: Math.max(1, Math.round(high * scale)) };
}

function Thumb({ file, address }: { file: AttachmentView; address: string }): ReactNode {
  if (file.width === null)
    return (
      <span className="sp-attached__icon">
        <Icon name="file" />
      </span>
    );
  return <img className="sp-attached__icon" src={`${address}?form=preview`} width={40} height={40} alt="" />;
}

function FileName({ name, bytes }: { name: string; bytes: number }): ReactNode {
  const t = useT('tickets');
  const format = useFormat();
  const kilobytes = Math.max(1, Math.round(bytes / KILOBYTE));
  const size =
    kilobytes < KILOBYTE
      ? t('kilobytes', { value: format.number(kilobytes) })
      : format.memory(Math.round((kilobytes / KILOBYTE) * 10) / 10);
  return (
    <span className="sp-attached__name">
      <span className="sp-truncate">{name}</span>
      <span className="sp-meta">{size}</span>
    </span>
  );
}
