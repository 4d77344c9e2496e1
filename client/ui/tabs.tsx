import type { ReactNode } from 'react';
import { NavLink } from 'react-router';

/** Views of one thing, each with its own address. */
export interface Tab {
  to: string;
  label: ReactNode;
  count?: ReactNode;
  /** Current only at exactly this address. */
  end?: boolean;
}

/** A row of links; it scrolls sideways where it does not fit and fades at that edge. */
export function Tabs(props: { label: string; items: readonly Tab[] }): ReactNode {
  return (
    <nav className="sp-tabs" aria-label={props.label}>
      {props.items.map((item) => (
        <NavLink className="sp-tab" key={item.to} to={item.to} end={item.end ?? false}>
          {item.label}
          {item.count !== undefined && <span className="sp-meta">{item.count}</span>}
        </NavLink>
      ))}
    </nav>
  );
}
