import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useErrorText } from '#client/lib/error-text.ts';
import { useApi } from '#client/lib/use-api.ts';
import { Button } from '#client/ui/button.tsx';
import { useControl, useRestoredValue } from '#client/ui/field-context.ts';
import { Icon } from '#client/ui/icon.tsx';
import { ApiError } from '#shared/contract/client.ts';
import { PICTURE_MAX_BYTES, PICTURE_TYPES, type SettingPicture } from '#shared/pictures.ts';
import type { SettingKey } from '#shared/settings.ts';
import { ShownPicture } from './shown-picture.tsx';

interface PictureFieldProps {
  readonly settingKey: SettingKey;
  readonly kind: SettingPicture;
  /** The id of the picture, or nothing. */
  readonly text: string;
  readonly label: string;
}

/** A picture: what is chosen is uploaded and seen at once, and shown to others when the setting is saved. */
export function PictureField({ settingKey: key, kind, text, label }: PictureFieldProps): ReactNode {
  const t = useT('staffSettings');
  const control = useControl({});
  const restored = useRestoredValue(key);
  const [id, setId] = useState(restored ?? text);
  const hidden = useRef<HTMLInputElement>(null);
  const seen = useRef(id);
  // An effect, because the form reads its fields when it hears of input: the hidden one must have the new picture.
  useEffect(() => {
    if (seen.current === id) return;
    seen.current = id;
    hidden.current?.dispatchEvent(new Event('input', { bubbles: true }));
  }, [id]);
  const { state, upload } = useUpload(kind, setId);
  const busy = state === 'busy';
  return (
    <div className="sp-set__picture" aria-busy={busy}>
      <ShownPicture name={key} kind={kind} id={id} label={label} hidden={hidden} />
      <div className="sp-row">
        {/* The native control lies over the button, so that clicks, keys and dropped files reach it. */}
        <span className="sp-btn sp-set__file" data-variant="secondary" data-size="sm">
          <Icon name="upload" size="sm" />
          {t(busy ? 'pictureBusy' : 'pictureChoose')}
          <input
            id={control.id}
            type="file"
            accept={PICTURE_TYPES}
            aria-describedby={control['aria-describedby']}
            disabled={busy}
            onChange={(event) => {
              const [chosen] = event.currentTarget.files ?? [];
              if (chosen) void upload(chosen);
              event.currentTarget.value = '';
            }}
          />
        </span>
        {id !== '' && (
          <Button
            size="sm"
            variant="ghost"
            icon="trash"
            aria-label={t('pictureRemoveWhat', { label })}
            onClick={() => setId('')}
          >
            {t('pictureRemove')}
          </Button>
        )}
      </div>
      {typeof state === 'object' && (
        <p className="sp-field__error" role="alert">
          <Icon name="alert" size="sm" />
          {state.problem}
        </p>
      )}
    </div>
  );
}

type UploadState = 'idle' | 'busy' | { readonly problem: string };

/** Uploads a picture of a kind. `onDone` gets its id. */
function useUpload(kind: SettingPicture, onDone: (id: string) => void) {
  const api = useApi();
  const errorText = useErrorText();
  const [state, setState] = useState<UploadState>('idle');
  const upload = async (file: File): Promise<void> => {
    if (!api) return;
    if (file.size > PICTURE_MAX_BYTES) return setState({ problem: errorText.field('PICTURE_TOO_LARGE') });
    setState('busy');
    try {
      const body = new Uint8Array(await file.arrayBuffer());
      const { id } = await api.adminPictures.add({ params: { kind }, body });
      onDone(id);
      setState('idle');
    } catch (error) {
      const { code, fields } = error instanceof ApiError ? error : { code: 'SERVER_UNAVAILABLE', fields: undefined };
      const fault = fields?.picture?.[0];
      setState({ problem: fault === undefined ? errorText.code(code) : errorText.field(fault) });
    }
  };
  return { state, upload };
}
