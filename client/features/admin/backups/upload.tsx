import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { sendParts } from '#client/lib/part-upload.ts';
import { useApi } from '#client/lib/use-api.ts';
import { useScripted } from '#client/lib/use-hydrated.ts';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { FileInput } from '#client/ui/file-input.tsx';
import { Progress } from '#client/ui/progress.tsx';
import { ApiError } from '#shared/contract/client.ts';
import { href } from '#shared/routes/staff-href.ts';

/** Brings a backup from elsewhere: the file goes up in parts, so that it may be of any size. */
export function Upload(): ReactNode {
  const t = useT('backups');
  const api = useApi();
  const errors = useErrorText();
  const bytes = useBytesText();
  const navigate = useNavigate();
  const [state, setState] = useState<{ done: number; all: number } | { problem: string } | null>(null);
  const busy = state !== null && 'done' in state;
  const scripted = useScripted();
  const send = async (file: File): Promise<void> => {
    if (!api) return;
    setState({ done: 0, all: file.size });
    try {
      const id = await sendParts(api.adminBackups.upload, file, (done) => setState({ done, all: file.size }));
      setState(null);
      if (id !== null) await navigate(`${href('admin.backups')}?backup=${id}`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const fault = error.fields.file?.[0];
      setState({
        problem:
          fault === undefined ? errors.code(error.code) : t(fault === 'NO_ROOM' ? 'fault.disk_full' : 'uploadNone'),
      });
    }
  };
  return (
    <div {...scripted}>
      <Card title={t('upload')}>
        <p className="sp-muted">{t('uploadText')}</p>
        <Field label={t('uploadFile')} name="file" {...(state && 'problem' in state ? { error: state.problem } : {})}>
          <FileInput
            accept=".age"
            disabled={busy}
            onInput={(event) => {
              const [chosen] = event.currentTarget.files ?? [];
              if (chosen) void send(chosen);
            }}
          />
        </Field>
        {busy && (
          <Progress
            label={t('step.send', { size: bytes(state.done), whole: bytes(state.all) })}
            value={state.all === 0 ? 0 : state.done / state.all}
          />
        )}
      </Card>
    </div>
  );
}
