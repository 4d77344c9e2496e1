import type { ReactNode } from 'react';
import { useFormat } from '#client/lib/i18n.tsx';

interface CreditAmountProps {
  /** Whole credits. */
  value: number;
  /** `plain`: no coin. `signed`: a plus or minus, for movements. */
  variant?: 'coin' | 'plain' | 'signed';
  /** `xl` for balances, `lg` for prices. */
  size?: 'lg' | 'xl';
}

/** The one way in which an amount of credits is shown. */
export function CreditAmount({ value, variant = 'coin', size }: CreditAmountProps): ReactNode {
  const format = useFormat();
  const sign = variant === 'signed' && value !== 0 ? (value > 0 ? '+' : '\u2212') : value < 0 ? '\u2212' : '';
  return (
    <span className="sp-credits" data-variant={variant} data-size={size} data-sign={signOf(value)}>
      {variant === 'coin' && <Coin />}
      <span aria-hidden="true">
        {sign}
        {format.number(Math.abs(value))}
      </span>
      <span className="sp-sr">
        {sign}
        {format.credits(Math.abs(value))}
      </span>
    </span>
  );
}

function signOf(value: number): 'in' | 'out' | undefined {
  if (value === 0) return undefined;
  return value > 0 ? 'in' : 'out';
}

/** The coin. */
export function Coin(): ReactNode {
  return (
    <svg className="sp-coin" viewBox="0 0 16 16" aria-hidden="true">
      <circle className="sp-coin__face" cx="8" cy="8" r="7.5" />
      <path className="sp-coin__cut" d="M8 3.2 10.7 7 8 12.8 5.3 7z" />
    </svg>
  );
}

/** One line of a price: what it is and how many credits. */
interface PriceLine {
  label: ReactNode;
  /** Credits; negative when they are taken. */
  value: number;
}

/** A purchase before it is confirmed: its lines, then the resulting balance. */
export function PriceLines(props: { lines: readonly PriceLine[]; sum: PriceLine }): ReactNode {
  return (
    <dl className="sp-price">
      {props.lines.map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a fixed list without state
        <div key={index}>
          <dt>{line.label}</dt>
          <dd>
            <CreditAmount value={line.value} variant="plain" />
          </dd>
        </div>
      ))}
      <div className="sp-price__sum">
        <dt>{props.sum.label}</dt>
        <dd>
          <CreditAmount value={props.sum.value} />
        </dd>
      </div>
    </dl>
  );
}
