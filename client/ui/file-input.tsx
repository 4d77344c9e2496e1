import { useEffect, useRef, useState, type ComponentProps, type ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useControl } from './field-context.ts';
import { Icon } from './icon.tsx';

const namesOf = ({ files }: HTMLInputElement): readonly string[] => [...(files ?? [])].map(({ name }) => name);

/**
 * A file input; inside a `Field` it needs only `accept`. The form must be `multipart/form-data`. The native control
 * lies over a button and file name in the page's language, so that clicks, keys and dropped files reach it; without
 * scripts the native control shows.
 */
export function FileInput(
  props: Omit<ComponentProps<'input'>, 'type' | 'className' | 'value' | 'defaultValue'>,
): ReactNode {
  const t = useT('ui');
  const control = useControl(props);
  const input = useRef<HTMLInputElement>(null);
  const [names, setNames] = useState<readonly string[]>([]);
  // An effect, because resetting the form empties the control without a change event.
  useEffect(() => {
    const form = input.current?.form;
    const emptied = () => setNames([]);
    // Files may have been chosen before the page was hydrated.
    if (input.current?.files?.length) setNames(namesOf(input.current));
    form?.addEventListener('reset', emptied);
    return () => form?.removeEventListener('reset', emptied);
  }, []);
  return (
    <span className="sp-file">
      <input
        {...props}
        {...control}
        ref={input}
        type="file"
        className="sp-input"
        onChange={(event) => setNames(namesOf(event.target))}
      />
      <span className="sp-file__shown" aria-hidden="true">
        <span className="sp-file__button">
          <Icon name="upload" size="sm" />
          {t('chooseFile')}
        </span>
        <span className="sp-truncate" data-empty={names.length === 0 || undefined}>
          {names.length === 0 ? t('noFile') : names.join(', ')}
        </span>
      </span>
    </span>
  );
}
