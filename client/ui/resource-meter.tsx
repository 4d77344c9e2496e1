import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Bar, Pips, share } from './bar.tsx';
import type { BarTone } from './bar.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

interface ResourceMeterProps {
  label: ReactNode;
  icon?: IconName;
  used: number;
  total: number;
  /** What a pending choice would add to `used`. */
  added?: number;
  /** Formats a number with its unit: `4 GB`. Plain digits otherwise. */
  format?: (n: number) => string;
  /** Shown instead of `used / total`, already with units. */
  value?: ReactNode;
  /** Stack the value under the label, for grids of meters. */
  stacked?: boolean;
}

/** The share from which a meter warns. */
const WARN_FROM = 0.9;

/** Things that are counted are drawn as pieces up to this many. */
const MAX_PIPS = 12;

/** How a meter looks: quiet, warning from 90 % on, danger above the limit. */
export function meterTone(used: number, total: number): BarTone {
  if (used > total) return 'danger';
  return share(used, total) >= WARN_FROM ? 'warning' : 'quiet';
}

/** How much of a limit is used; counted things with few pieces are drawn piece by piece. */
export function ResourceMeter(props: ResourceMeterProps & { counted?: boolean }): ReactNode {
  const { label, icon, used, total, added = 0, format = String, value, stacked = false, counted = false } = props;
  const t = useT('ui');
  const tone = meterTone(used + added, total);
  const ownTone = added > 0 && tone !== 'danger' ? meterTone(used, total) : tone;
  const pips = counted && total > 0 && total <= MAX_PIPS && used + added <= total;
  return (
    <div className="sp-meter" data-stacked={stacked || undefined}>
      <div className="sp-meter__top">
        <span className="sp-meter__label">
          {icon && <Icon name={icon} size="sm" />}
          {label}
        </span>
        <span className="sp-meter__val">
          {value ?? (
            <>
              {format(used + added)} <span>/ {format(total)}</span>
            </>
          )}
          {tone === 'warning' && <span className="sp-sr">, {t('meterAlmostFull')}</span>}
          {tone === 'danger' && <span className="sp-sr">, {t('meterOver')}</span>}
          {added > 0 && <span className="sp-sr">, {t('meterAdded', { added: format(added) })}</span>}
        </span>
      </div>
      {pips ? (
        <Pips used={used} added={added} total={total} tone={ownTone} />
      ) : (
        <Bar
          value={share(used, total)}
          added={share(added, total)}
          tone={ownTone}
          addedTone={tone === 'danger' ? 'danger' : 'accent'}
        />
      )}
    </div>
  );
}
