import { useId, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { dialogs } from './dialogs.ts';
import type { Dialogs, OpenDialog } from './dialogs.ts';

const none = (): null => null;

/** Renders the dialogs that `dialogs.alert`, `confirm`, `choose` and `prompt` open. One per page. */
export function DialogHost({ store = dialogs }: { store?: Dialogs }): ReactNode {
  const current = useSyncExternalStore(store.subscribe, store.current, none);
  return current ? <DialogView key={current.id} dialog={current} /> : null;
}

function DialogView({ dialog }: { dialog: OpenDialog }): ReactNode {
  const { kind, options } = dialog;
  const { title, text, footer, typeToConfirm, initial = '', required = false } = options;
  const [typed, setTyped] = useState(initial);
  const formId = useId();
  const mayConfirm = typeToConfirm ? typed === typeToConfirm.text : !required || typed.trim() !== '';
  const label = typeToConfirm?.label ?? options.label;
  return (
    <Dialog
      open
      alert={kind !== 'prompt'}
      locked={options.locked ?? false}
      title={title}
      onClose={() => dialog.end({ by: 'cancel' })}
      foot={<DialogButtons dialog={dialog} formId={formId} mayConfirm={mayConfirm} hasInput={label !== undefined} />}
    >
      <form
        id={formId}
        className="sp-dialog__form"
        onSubmit={(event) => {
          event.preventDefault();
          if (mayConfirm) dialog.end({ by: 'ok', text: typed });
        }}
      >
        {text !== undefined && <div className="sp-dialog__text">{text}</div>}
        {label !== undefined && (
          <div className="sp-field">
            <label className="sp-field__label" htmlFor={`${formId}-text`}>
              {label}
            </label>
            <input
              id={`${formId}-text`}
              className="sp-input"
              type={options.type ?? 'text'}
              autoComplete="off"
              data-autofocus
              value={typed}
              maxLength={options.maxLength}
              onChange={(event) => setTyped(event.target.value)}
            />
          </div>
        )}
        {footer !== undefined && <p className="sp-dialog__footer">{footer}</p>}
      </form>
    </Dialog>
  );
}

function DialogButtons(props: {
  dialog: OpenDialog;
  formId: string;
  mayConfirm: boolean;
  hasInput: boolean;
}): ReactNode {
  const { dialog, formId, mayConfirm, hasInput } = props;
  const { kind, options } = dialog;
  const t = useT('ui');
  const careful = options.tone === 'danger' && !hasInput;
  return (
    <>
      {kind !== 'alert' && (
        <Button data-autofocus={careful || undefined} onClick={() => dialog.end({ by: 'cancel' })}>
          {options.cancel ?? t('cancel')}
        </Button>
      )}
      {kind === 'choose' && <Button onClick={() => dialog.end({ by: 'no' })}>{options.no ?? t('no')}</Button>}
      <Button
        type="submit"
        form={formId}
        variant={options.tone === 'danger' ? 'danger' : 'primary'}
        disabled={!mayConfirm}
        data-autofocus={(!careful && !hasInput) || undefined}
      >
        {options.ok ?? t('ok')}
      </Button>
    </>
  );
}
