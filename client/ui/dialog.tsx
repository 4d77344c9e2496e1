import { useEffect, useId, useRef } from 'react';
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { useT } from '#client/lib/i18n.tsx';
import { IconButton } from './button.tsx';

interface DialogProps {
  open: boolean;
  /** Esc, the close button or a click beside a drawer. */
  onClose: () => void;
  title: ReactNode;
  children?: ReactNode;
  foot?: ReactNode;
  /** `drawer` slides in at the side and has a close button. */
  kind?: 'dialog' | 'drawer';
  /** Interrupts screen readers. */
  alert?: boolean;
  /** Esc does nothing, because closing would not be safe. */
  locked?: boolean;
  /** As wide as a grid needs; the whole screen of a phone. */
  wide?: boolean;
  /** Beside the page: a form that it is opened from has none of its fields. Not on the server. */
  apart?: boolean;
}

/** A modal `<dialog>`: focus stays inside and returns to where it was. */
export function Dialog(props: DialogProps): ReactNode {
  const {
    open,
    onClose,
    title,
    children,
    foot,
    kind = 'dialog',
    alert = false,
    locked = false,
    wide = false,
    apart = false,
  } = props;
  const t = useT('ui');
  const titleId = useId();
  const bodyId = useId();
  const element = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    const dialog = element.current;
    if (!dialog || !open) return;
    const from = document.activeElement;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => {
      dialog.close();
      // The platform restores the focus, except when the dialog is removed from the page at once.
      if (from instanceof HTMLElement && from.isConnected) from.focus();
    };
  }, [open]);
  useEffect(() => {
    const dialog = element.current;
    if (!dialog || !open) return;
    const cancel = (event: Event): void => {
      event.preventDefault();
      if (!locked) close.current();
    };
    const beside = (event: MouseEvent): void => {
      if (event.target === dialog && kind === 'drawer' && !locked) close.current();
    };
    dialog.addEventListener('cancel', cancel);
    dialog.addEventListener('click', beside);
    return () => {
      dialog.removeEventListener('cancel', cancel);
      dialog.removeEventListener('click', beside);
    };
  }, [open, kind, locked]);
  const shown = (
    <dialog
      ref={element}
      className={`sp-${kind}`}
      data-wide={wide || undefined}
      role={alert ? 'alertdialog' : undefined}
      aria-labelledby={titleId}
      aria-describedby={alert ? bodyId : undefined}
    >
      {open && (
        <div className={`sp-${kind}__in`}>
          <div className={`sp-${kind}__head`}>
            <h2 id={titleId}>{title}</h2>
            {kind === 'drawer' && <IconButton icon="x" label={t('close')} onClick={onClose} />}
          </div>
          {children !== undefined && children !== null && (
            <div className={`sp-${kind}__body`} id={bodyId}>
              {children}
            </div>
          )}
          {foot !== undefined && <div className={`sp-${kind}__foot`}>{foot}</div>}
        </div>
      )}
    </dialog>
  );
  return apart ? createPortal(shown, document.body) : shown;
}

/** A window at the side of the screen: filters, settings, details. */
export function Drawer(props: Omit<DialogProps, 'kind' | 'alert'>): ReactNode {
  return <Dialog {...props} kind="drawer" />;
}
