import type { ReactNode } from 'react';
import { Icon } from '#client/ui/icon.tsx';
import { PICTURE_TYPES } from '#shared/pictures.ts';
import type { UploadState } from './use-upload.ts';

interface UploadButtonProps {
  readonly label: string;
  readonly state: UploadState;
  readonly onChoose: (file: File) => void;
  readonly icon?: 'image' | 'upload';
  /** Id of the control where a label elsewhere names it; without one the button names itself. */
  readonly id?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly accept?: string;
}

/** A button that chooses a picture to upload. The native control lies over it: clicks, keys and dropped files reach it. */
export function UploadButton(props: UploadButtonProps): ReactNode {
  const { label, state, onChoose, icon = 'image', id, describedBy, accept = PICTURE_TYPES } = props;
  const isBusy = state === 'busy';
  return (
    <span className="sp-btn sp-picture-file" data-variant="secondary" data-size="sm" aria-busy={isBusy}>
      <Icon name={icon} size="sm" />
      {label}
      <input
        {...(id === undefined ? { 'aria-label': label } : { id })}
        type="file"
        accept={accept}
        aria-describedby={describedBy}
        disabled={isBusy}
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
