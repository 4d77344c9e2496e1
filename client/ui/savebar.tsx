import type { ReactNode } from 'react';

/**
 * The bar that holds a form's buttons; `children` are the buttons. It stays at the bottom of the screen, but while the
 * form is `idle`, as nothing is changed yet: then it stands at the form's end and covers nothing.
 */
export function SaveBar(props: { what?: ReactNode; idle?: boolean; children: ReactNode }): ReactNode {
  return (
    <div className="sp-savebar" data-idle={props.idle || undefined}>
      <p className="sp-savebar__what" aria-live="polite">
        {props.what}
      </p>
      <div className="sp-btn-row">{props.children}</div>
    </div>
  );
}
