import type { ReactNode } from 'react';

/** The bar that holds a form's buttons at the bottom of the screen; `children` are the buttons. */
export function SaveBar(props: { what?: ReactNode; children: ReactNode }): ReactNode {
  return (
    <div className="sp-savebar">
      <p className="sp-savebar__what" aria-live="polite">
        {props.what}
      </p>
      <div className="sp-btn-row">{props.children}</div>
    </div>
  );
}
