import { useState, type ReactNode } from 'react';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { sendParts } from '#client/lib/part-upload.ts';
import { useApi } from '#client/lib/use-api.ts';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Field } from '#client/ui/field.tsx';
import { FileInput } from '#client/ui/file-input.tsx';
import { Progress } from '#client/ui/progress.tsx';
import { ApiError } from '#shared/contract/client.ts';

interface Props {
  /** Whether it is a store of SQLite rather than a dump. */
  readonly store: boolean;
  /** The file of the last dry run, while it is here. */
  readonly kept: string | null;
  /** Hears the id of the file once it is there; '' while there is none. */
  readonly onUpload: (id: string) => void;
}
type State =
  { readonly done: number; readonly all: number } | { readonly problem: string } | { readonly sent: string } | null;

/** A file that goes up as soon as it is chosen, in parts, so that it may be of any size. */
export function DumpField({ store, kept, onUpload }: Props): ReactNode {
  const t = useT('imports');
  const api = useApi();
  const errors = useErrorText();
  const bytes = useBytesText();
  const hydrated = useHydrated();
  const [state, setState] = useState<State>(null);
  const busy = state !== null && 'done' in state;
  const send = async (file: File): Promise<void> => {
    if (!api) return;
    onUpload('');
    setState({ done: 0, all: file.size });
    try {
      const id = await sendParts(api.adminImports.upload, file, (done) => setState({ done, all: file.size }));
      setState({ sent: file.name });
      onUpload(id ?? '');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const fault = error.fields.file?.[0];
      setState({
        problem: fault === undefined ? errors.code(error.code) : t(fault === 'NO_ROOM' ? 'noRoom' : 'fileBad'),
      });
    }
  };
  return (
    <>
      <Field
        label={t(store ? 'fileStore' : 'fileDump')}
        name="upload"
        {...(store ? {} : { hint: t('fileDumpHint') })}
        {...(state && 'problem' in state ? { error: state.problem } : {})}
      >
        <FileInput
          name=""
          disabled={busy || !hydrated}
          onInput={(event) => {
            const [chosen] = event.currentTarget.files ?? [];
            if (chosen) void send(chosen);
          }}
        />
      </Field>
      {busy && (
        <Progress
          label={t('sending', { size: bytes(state.done), whole: bytes(state.all) })}
          value={state.all === 0 ? 0 : state.done / state.all}
        />
      )}
      {state && 'sent' in state && <output className="sp-imports__long">{t('fileSent', { name: state.sent })}</output>}
      {state === null && kept !== null && <p className="sp-muted">{t('fileHere')}</p>}
    </>
  );
}
