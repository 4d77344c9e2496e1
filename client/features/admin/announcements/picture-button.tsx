import type { ReactNode } from 'react';
import { Icon } from '#client/ui/icon.tsx';
import { PICTURE_TYPES } from '#shared/pictures.ts';
import type { UploadState } from './upload.ts';

interface PictureButtonProps {
  readonly label: string;
  readonly state: UploadState;
  readonly onChoose: (file: File) => void;
}

/** A button that chooses a picture to upload. The native control lies over it: clicks, keys and dropped files reach it. */
export function PictureButton({ label, state, onChoose }: PictureButtonProps): ReactNode {
  return (
    <span className="sp-btn sp-set__file" data-variant="secondary" data-size="sm" aria-busy={state === 'busy'}>
      <Icon name="image" size="sm" />
      {label}
      <input
        type="file"
        accept={PICTURE_TYPES}
        aria-label={label}
        disabled={state === 'busy'}
        onChange={(event) => {
          const [chosen] = event.currentTarget.files ?? [];
          if (chosen) onChoose(chosen);
          event.currentTarget.value = '';
        }}
      />
    </span>
  );
}

/** Why an upload failed, where it did. */
export function UploadProblem({ state }: { state: UploadState }): ReactNode {
  return (
    typeof state === 'object' && (
      <p className="sp-field__error" role="alert">
        <Icon name="alert" size="sm" />
        {state.problem}
      </p>
    )
  );
}
