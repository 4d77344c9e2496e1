import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

interface ListItemProps {
  title: ReactNode;
  text?: ReactNode;
  icon?: IconName;
  tone?: 'warning' | 'danger' | 'info' | 'positive' | 'accent';
  /** An amount, a time, a button. */
  end?: ReactNode;
  /** The whole row becomes a link. */
  to?: string;
}

/** A list of rows, for cards with `flush`. */
export function List(props: { children: ReactNode; label?: string }): ReactNode {
  return (
    <ul className="sp-list" aria-label={props.label}>
      {props.children}
    </ul>
  );
}

/** A row: icon, two lines, something at the end. */
export function ListItem(props: ListItemProps): ReactNode {
  const { title, text, icon, tone, end, to } = props;
  const inner = (
    <>
      {icon && (
        <span className="sp-list__icon" data-tone={tone}>
          <Icon name={icon} />
        </span>
      )}
      <span className="sp-list__text">
        <span className="sp-list__title">{title}</span>
        {text !== undefined && <span className="sp-list__sub">{text}</span>}
      </span>
      {(end !== undefined || to !== undefined) && (
        <span className="sp-list__end">
          {end}
          {to !== undefined && <Icon name="chevron-right" size="sm" />}
        </span>
      )}
    </>
  );
  if (to === undefined) return <li className="sp-list__row">{inner}</li>;
  return (
    <li>
      <Link className="sp-list__row" to={to}>
        {inner}
      </Link>
    </li>
  );
}
