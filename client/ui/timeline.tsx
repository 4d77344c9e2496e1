import type { ReactNode } from 'react';

/** Something that happened. */
export interface TimelineItem {
  id: string;
  title: ReactNode;
  text?: ReactNode;
  /** When, in words. */
  time?: ReactNode;
  tone?: 'positive' | 'danger' | 'warning' | 'credit';
}

/** What happened, newest first. */
export function Timeline(props: { items: readonly TimelineItem[]; label?: string }): ReactNode {
  return (
    <ol className="sp-timeline" aria-label={props.label}>
      {props.items.map((item) => (
        <li key={item.id} data-tone={item.tone}>
          <div>
            <p>{item.title}</p>
            {item.text !== undefined && <p className="sp-muted">{item.text}</p>}
          </div>
          {item.time !== undefined && <span className="sp-timeline__time">{item.time}</span>}
        </li>
      ))}
    </ol>
  );
}
