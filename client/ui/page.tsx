import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { Icon } from './icon.tsx';

/** The content of a screen: at most 1,280 px (`narrow`: 720 px, for one-column forms). */
export function Page(props: { narrow?: boolean; children: ReactNode }): ReactNode {
  return (
    <div className="sp-page" data-narrow={props.narrow || undefined}>
      {props.children}
    </div>
  );
}

/** One step of a breadcrumb; without `to` it is where one stands. */
export interface Crumb {
  label: ReactNode;
  to?: string;
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

/** The way from the top to here. */
export function Breadcrumb(props: { items: readonly Crumb[] }): ReactNode {
  const t = useT('ui');
  return (
    <nav className="sp-crumbs" aria-label={t('breadcrumb')}>
      <ol className="sp-crumbs__list">
        {props.items.map((item, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the way to a page is a fixed list
          <li key={index}>
            {index > 0 && <Icon name="chevron-right" size="sm" />}
            {item.to === undefined ? (
              <span aria-current={index === props.items.length - 1 ? 'page' : undefined}>{item.label}</span>
            ) : (
              <Link to={item.to}>{item.label}</Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
