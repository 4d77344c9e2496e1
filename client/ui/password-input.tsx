import { useState } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useControl } from './field-context.ts';
import { Icon } from './icon.tsx';

/** A password with a button that shows it. It is never filled in from a refused submission. */
export function PasswordInput(
  props: Omit<ComponentProps<'input'>, 'type' | 'size' | 'className'> & { size?: 'lg' },
): ReactNode {
  const { size, ...rest } = props;
  const [shown, setShown] = useState(false);
  const t = useT('ui');
  const control = useControl(rest);
  return (
    <span className="sp-input-group" data-button="">
      <input
        autoComplete="current-password"
        {...rest}
        {...control}
        type={shown ? 'text' : 'password'}
        autoCapitalize="none"
        spellCheck={false}
        className="sp-input"
        data-size={size}
      />
      <button
        type="button"
        className="sp-input-group__btn"
        aria-label={shown ? t('hidePassword') : t('showPassword')}
        aria-controls={control.id}
        onClick={() => setShown(!shown)}
      >
        <Icon name={shown ? 'eye-off' : 'eye'} />
      </button>
    </span>
  );
}
