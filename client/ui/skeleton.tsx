import type { ReactNode } from 'react';

/** Shares of the width a line can have. */
type Width = 25 | 40 | 60 | 80 | 100;

/** A grey line where text will be. */
export function SkeletonLine({ width = 100, small = false }: { width?: Width; small?: boolean }): ReactNode {
  return <span className="sp-sk" data-width={width} data-small={small || undefined} aria-hidden="true" />;
}

/** Placeholder rows of a list that is being loaded, as high as real rows. `label` says what is loading. */
export function SkeletonRows(props: { rows: number; label: string }): ReactNode {
  const widths: readonly Width[] = [40, 60, 40, 25];
  return (
    <div className="sp-sk-rows">
      <output className="sp-sr">{props.label}</output>
      {Array.from({ length: props.rows }, (_, index) => (
        <div className="sp-sk-row" key={index} aria-hidden="true">
          <span className="sp-sk sp-sk--block" />
          <span className="sp-sk-row__text">
            <SkeletonLine width={widths[index % widths.length] ?? 40} />
            <SkeletonLine width={80} small />
          </span>
        </div>
      ))}
    </div>
  );
}
