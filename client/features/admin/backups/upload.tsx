import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useApi } from '#client/lib/use-api.ts';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { FileInput } from '#client/ui/file-input.tsx';
import { Progress } from '#client/ui/progress.tsx';
import { UPLOAD_PART_BYTES } from '#shared/backups.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';
import { href } from '#shared/routes/staff-href.ts';
import { useBytesText } from './texts.ts';

/** How often a part is sent that got no answer, and the pause before, in ms. */
const TRIES = 5;
const PAUSE_MS = 3000;

/** Brings a backup from elsewhere: the file goes up in parts, so that it may be of any size. */
export function Upload(): ReactNode {
  const t = useT('backups');
  const api = useApi();
  const errors = useErrorText();
  const bytes = useBytesText();
  const navigate = useNavigate();
  const [state, setState] = useState<{ done: number; all: number } | { problem: string } | null>(null);
  const busy = state !== null && 'done' in state;
  if (!useHydrated()) return null;
  const send = async (file: File): Promise<void> => {
    if (!api) return;
    setState({ done: 0, all: file.size });
    try {
      const id = await sendParts(api, file, (done) => setState({ done, all: file.size }));
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
  );
}

/** Sends a file part by part. Out: the id of the backup that it became. Throws ApiError. */
async function sendParts(api: Api, file: File, onSent: (bytes: number) => void): Promise<string | null> {
  // Not of the browser's own making, which pages without HTTPS lack.
  const upload = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const parts = Math.ceil(file.size / UPLOAD_PART_BYTES);
  let id: string | null = null;
  for (let part = 0; part < parts; part += 1) {
    const slice = file.slice(part * UPLOAD_PART_BYTES, (part + 1) * UPLOAD_PART_BYTES);
    const body = new Uint8Array(await slice.arrayBuffer());
    ({ id } = await withRetries(() =>
      api.adminBackups.upload({ params: { upload }, query: { part: String(part), parts: String(parts) }, body }),
    ));
    onSent(part * UPLOAD_PART_BYTES + slice.size);
  }
  return id;
}

/** Asks again where no answer came, or where too much was sent at once. Throws ApiError. */
async function withRetries<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await call();
    } catch (error) {
      const passing = !(error instanceof ApiError) || error.status >= 500 || error.code === 'RATE_LIMITED';
      if (!passing || tries === TRIES)
        throw error instanceof ApiError ? error : new ApiError('SERVER_UNAVAILABLE', 503);
      const pauseMs = error instanceof ApiError && error.retryAfterS ? error.retryAfterS * 1000 : PAUSE_MS;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
}
