import type { ReactNode } from 'react';
import { useLooseT } from '#client/lib/i18n.tsx';
import type { CustomFieldProps } from '#client/resource/area.ts';
import { Button } from '#client/ui/button.tsx';
import { FieldGroup } from '#client/ui/field.tsx';
import { pictureSrcSet, pictureUrl } from '#shared/picture-url.ts';
import { LibraryButton } from '../parts/pictures/library-button.tsx';
import { usePictureValue } from '../parts/pictures/use-picture-value.ts';

/** The picture that an egg has in the place of its block: chosen from the library. */
export function PictureField({ name, label, hint, value }: CustomFieldProps): ReactNode {
  const t = useLooseT('areas/eggs');
  const { id, setId, hidden } = usePictureValue(name, String(value ?? ''));
  return (
    <FieldGroup label={label} name={name} {...(hint === undefined ? {} : { hint })}>
      <input type="hidden" name={name} value={id} ref={hidden} />
      <div className="sp-row">
        {id === '' ? (
          <span className="sp-muted">{t('pictureNone')}</span>
        ) : (
          <img
            className="sp-egg-picture"
            src={pictureUrl(id, 'small')}
            srcSet={pictureSrcSet(id, 'egg')}
            sizes="4.5rem"
            alt={label}
          />
        )}
        <LibraryButton kind="egg" label={t('pictureLibrary')} onChoose={setId} />
        {id !== '' && (
          <Button size="sm" variant="ghost" icon="trash" onClick={() => setId('')}>
            {t('pictureRemove')}
          </Button>
        )}
      </div>
    </FieldGroup>
  );
}
