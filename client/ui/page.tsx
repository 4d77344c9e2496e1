import type { ReactNode } from 'react';
import { Breadcrumb, type Crumb } from './breadcrumb.tsx';

export { Breadcrumb, useCrumbs } from './breadcrumb.tsx';

/** The content of a screen: at most 1,280 px (`narrow`: 720 px, for one-column forms). */
export function Page(props: { narrow?: boolean; children: ReactNode }): ReactNode {
  return (
    <div className="sp-page" data-narrow={props.narrow || undefined}>
      {props.children}
    </div>
  );
}

interface PageHeadProps {
  title: ReactNode;
  text?: ReactNode;
  crumbs?: readonly Crumb[];
  /** A picture before the title: a block, an avatar. */
  picture?: ReactNode;
  /** A badge or status after the title. */
  badge?: ReactNode;
  /** Buttons; the primary one last. */
  actions?: ReactNode;
}

/** The head of a screen: where it is, what it is called, what can be done. */
export function PageHead(props: PageHeadProps): ReactNode {
  const { title, text, crumbs, picture, badge, actions } = props;
  return (
    <header className="sp-page-head sp-on-canvas">
      {picture}
      <div className="sp-page-head__text">
        {crumbs && <Breadcrumb items={crumbs} />}
        <div className="sp-page-head__title">
          <h1>{title}</h1>
          {badge}
        </div>
        {text !== undefined && <p className="sp-page-head__sub">{text}</p>}
      </div>
      {actions !== undefined && <div className="sp-page-head__actions">{actions}</div>}
    </header>
  );
}
