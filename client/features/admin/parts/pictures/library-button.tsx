import { useContext, useState, type ComponentType, type ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { TextLoaderContext } from '#client/lib/text-loader.ts';
import { useScripted } from '#client/lib/use-hydrated.ts';
import { Button } from '#client/ui/button.tsx';
import { can } from '#shared/can.ts';
import type { PictureKind } from '#shared/pictures.ts';
import type { PickerProps } from './library-picker.tsx';

interface LibraryButtonProps {
  readonly kind: PictureKind;
  readonly label: string;
  /** Gets the id of the picture of the kind, and the name that it has in the library. */
  readonly onChoose: (id: string, name: string) => void;
}

/**
 * A button that opens the library of the host's own pictures, for staff who may see it. What it opens is loaded then,
 * with its texts (library-picker.tsx).
 */
export function LibraryButton({ kind, label, onChoose }: LibraryButtonProps): ReactNode {
  const t = useT('ui');
  const loadTexts = useContext(TextLoaderContext);
  const scripted = useScripted();
  const { permissions } = useShell().session;
  const [Picker, setPicker] = useState<ComponentType<PickerProps> | null>(null);
  const [state, setState] = useState<'closed' | 'busy' | 'open' | 'failed'>('closed');
  if (!can(permissions, 'admin.images.list')) return null;
  const open = async (): Promise<void> => {
    setState('busy');
    try {
      const [{ LibraryPicker }] = await Promise.all([
        import('./library-picker.tsx'),
        loadTexts(['images', 'libraryImages']),
      ]);
      setPicker(() => LibraryPicker);
      setState('open');
    } catch {
      setState('failed');
    }
  };
  return (
    <>
      <Button
        {...scripted}
        size="sm"
        icon="search"
        busy={state === 'busy'}
        aria-haspopup="dialog"
        onClick={() => void open()}
      >
        {state === 'failed' ? t('tryAgain') : label}
      </Button>
      {Picker && state === 'open' && (
        <Picker
          kind={kind}
          onClose={() => setState('closed')}
          onChoose={(id, name) => {
            setState('closed');
            onChoose(id, name);
          }}
        />
      )}
    </>
  );
}
