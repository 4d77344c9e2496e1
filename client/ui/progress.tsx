import { useId } from 'react';
import type { ReactNode } from 'react';
import { useFormat } from '#client/lib/i18n.tsx';
import { Bar } from './bar.tsx';
import type { BarTone } from './bar.tsx';

/** A progress bar; without a `value` (0 to 1) it is indeterminate. */
export function Progress(props: { label: ReactNode; value?: number; tone?: BarTone; hideLabel?: boolean }): ReactNode {
  const { label, value, tone = 'accent', hideLabel = false } = props;
  const id = useId();
  const format = useFormat();
  const percent = value === undefined ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <div
      className="sp-progress"
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a native bar cannot be drawn alike everywhere
      role="progressbar"
      aria-labelledby={id}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <div className={hideLabel ? 'sp-sr' : 'sp-progress__top'}>
        <span id={id}>{label}</span>
        {percent !== undefined && <span>{format.percent(percent / 100)}</span>}
      </div>
      {value === undefined ? <Waiting /> : <Bar value={value} tone={tone} />}
    </div>
  );
}

function Waiting(): ReactNode {
  return (
    <svg className="sp-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect className="sp-bar__fill sp-bar__wait" data-tone="accent" width="30" height="4" />
    </svg>
  );
}
