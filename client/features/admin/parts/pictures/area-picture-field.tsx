import type { ReactNode } from 'react';
import { useLooseT } from '#client/lib/i18n.tsx';
import type { CustomFieldProps } from '#client/resource/area.ts';
import { Button } from '#client/ui/button.tsx';
import { FieldGroup } from '#client/ui/field.tsx';
import { pictureSrcSet, pictureUrl } from '#shared/picture-url.ts';
import { LibraryButton } from './library-button.tsx';
import { usePictureValue } from './use-picture-value.ts';

/** The areas whose rows have a picture, and the kind of it. */
const KINDS = { eggs: 'egg', eggCategories: 'category' } as const;

interface AreaPictureProps extends CustomFieldProps {
  readonly area: keyof typeof KINDS;
}

/** The field of a row's picture, which is chosen from the library. Its words are those of the area (`picture…`). */
export function AreaPictureField({ area, name, label, hint, value }: AreaPictureProps): ReactNode {
  const t = useLooseT(`areas/${area}`);
  const kind = KINDS[area];
  const { id, setId, hidden } = usePictureValue(name, String(value ?? ''));
  return (
    <FieldGroup label={label} name={name} {...(hint === undefined ? {} : { hint })}>
      <input type="hidden" name={name} value={id} ref={hidden} />
      <div className="sp-row">
        {id === '' ? (
          <span className="sp-muted">{t('pictureNone')}</span>
        ) : (
          <img
            className="sp-area-picture"
            src={pictureUrl(id, 'small')}
            srcSet={pictureSrcSet(id, kind)}
            sizes="4.5rem"
            alt={label}
          />
        )}
        <LibraryButton kind={kind} label={t('pictureLibrary')} onChoose={setId} />
        {id !== '' && (
          <Button size="sm" variant="ghost" icon="trash" onClick={() => setId('')}>
            {t('pictureRemove')}
          </Button>
        )}
      </div>
    </FieldGroup>
  );
}
