import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { useControl } from '#client/ui/field-context.ts';
import type { SettingPicture } from '#shared/pictures.ts';
import type { SettingKey } from '#shared/settings.ts';
import { LibraryButton } from '../parts/pictures/library-button.tsx';
import { UploadButton, UploadProblem } from '../parts/pictures/upload-button.tsx';
import { usePictureValue } from '../parts/pictures/use-picture-value.ts';
import { useUpload } from '../parts/pictures/use-upload.ts';
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
  const { id, setId, hidden } = usePictureValue(key, text);
  const { state, upload } = useUpload(setId);
  const busy = state === 'busy';
  return (
    <div className="sp-set__picture" aria-busy={busy}>
      <ShownPicture name={key} kind={kind} id={id} label={label} hidden={hidden} />
      <div className="sp-row">
        <UploadButton
          label={t(busy ? 'pictureBusy' : 'pictureChoose')}
          icon="upload"
          id={control.id}
          describedBy={control['aria-describedby']}
          state={state}
          onChoose={(file) =>
            void upload(file, async (api, body) => (await api.adminPictures.add({ params: { kind }, body })).id)
          }
        />
        <LibraryButton kind={kind} label={t('pictureLibrary')} onChoose={setId} />
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
      <UploadProblem state={state} />
    </div>
  );
}
