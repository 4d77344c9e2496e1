import type { ReactNode } from 'react';

type Heading = 'h2' | 'h3' | 'h4';

interface CardProps {
  title?: ReactNode;
  /** A small number beside the title. */
  count?: ReactNode;
  /** A line under the title. */
  text?: ReactNode;
  /** Links or buttons at the end of the head. */
  aside?: ReactNode;
  foot?: ReactNode;
  /** Level of the title; `h2` unless the card stands under another heading. */
  as?: Heading;
  /** No padding: for tables and lists that draw their own rows. */
  flush?: boolean;
  tone?: 'danger';
  id?: string;
  children?: ReactNode;
}

/** A panel with an optional head and foot. With a title it is a named region. */
export function Card(props: CardProps): ReactNode {
  const { title, count, text, aside, foot, as: Title = 'h2', flush = false, tone, id, children } = props;
  return (
    <section className="sp-card" data-tone={tone} id={id}>
      {(title !== undefined || aside !== undefined) && (
        <header className="sp-card__head">
          <div className="sp-card__text">
            {title !== undefined && (
              <Title className="sp-card__title">
                {title}
                {count !== undefined && <span className="sp-card__n"> {count}</span>}
              </Title>
            )}
            {text !== undefined && <p className="sp-card__sub">{text}</p>}
          </div>
          {aside}
        </header>
      )}
      {children !== undefined && <div className={flush ? 'sp-card__flush' : 'sp-card__body'}>{children}</div>}
      {foot !== undefined && <footer className="sp-card__foot">{foot}</footer>}
    </section>
  );
}

/** A section of a card, separated by a line. */
export function CardSection(props: { title?: ReactNode; text?: ReactNode; children?: ReactNode }): ReactNode {
  return (
    <div className="sp-card__sec">
      {props.title !== undefined && (
        <div>
          <h3 className="sp-card__h3">{props.title}</h3>
          {props.text !== undefined && <p className="sp-lead">{props.text}</p>}
        </div>
      )}
      {props.children}
    </div>
  );
}

/** One fact of a list of facts. */
export interface Fact {
  label: ReactNode;
  value: ReactNode;
}

/** Labels on the left, values on the right. */
export function Facts(props: { items: readonly Fact[]; inline?: boolean }): ReactNode {
  return (
    <dl className="sp-kv" data-inline={props.inline || undefined}>
      {props.items.map((item, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- facts are a fixed list without state
        <div key={index}>
          <dt>{item.label}</dt>
          <dd>{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}
