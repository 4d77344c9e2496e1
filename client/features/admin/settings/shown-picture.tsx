import type { ReactNode, RefObject } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { pictureUrl } from '#shared/picture-url.ts';
import type { SettingPicture } from '#shared/pictures.ts';

interface ShownPictureProps {
  /** Name of the field that carries the id. */
  readonly name: string;
  readonly kind: SettingPicture;
  /** '' where there is none. */
  readonly id: string;
  readonly label: string;
  readonly hidden?: RefObject<HTMLInputElement | null>;
}

/** The picture of a setting, and the field that says which one it is. */
export function ShownPicture({ name, kind, id, label, hidden }: ShownPictureProps): ReactNode {
  const t = useT('staffSettings');
  // The largest form of each kind stands in the place of the whole.
  const form = kind === 'icon' ? '192' : kind === 'hero' || kind === 'background' ? 'wide' : 'whole';
  return (
    <>
      <input type="hidden" name={name} value={id} ref={hidden} />
      <div className="sp-set__frame" data-kind={kind}>
        {id === '' ? (
          <span className="sp-muted">{t('pictureNone')}</span>
        ) : (
          <img src={pictureUrl(id, form)} alt={label} />
        )}
      </div>
    </>
  );
}
