import type { ReactNode } from 'react';

interface StatTileProps {
  label: ReactNode;
  value: ReactNode;
  /** A change or a remark under the number. */
  note?: ReactNode;
  /** A sparkline. */
  spark?: ReactNode;
}

/** One key figure. */
export function StatTile({ label, value, note, spark }: StatTileProps): ReactNode {
  return (
    <div className="sp-stat">
      <dt className="sp-stat__label">{label}</dt>
      <dd className="sp-stat__value">
        {value}
        {note !== undefined && <span className="sp-stat__note">{note}</span>}
      </dd>
      {spark !== undefined && <dd className="sp-stat__spark">{spark}</dd>}
    </div>
  );
}

/** Numbers side by side. */
export function Stats(props: { children: ReactNode }): ReactNode {
  return <dl className="sp-stats">{props.children}</dl>;
}
