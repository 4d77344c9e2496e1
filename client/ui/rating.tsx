import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { RATINGS } from '#shared/tickets.ts';
import { Icon } from './icon.tsx';

/** A choice of one to five stars, as radio buttons. In: what was chosen before; null: nothing. */
export function RatingField({ label, value }: { label: string; value: number | null }): ReactNode {
  const t = useT('tickets');
  return (
    <fieldset className="sp-stars">
      <legend className="sp-sr">{label}</legend>
      {RATINGS.map((each) => (
        <label key={each} title={t(`rating.${each}`)}>
          <input
            type="radio"
            name="rating"
            value={each}
            className="sp-sr"
            required
            defaultChecked={each === value}
            aria-label={t(`rating.${each}`)}
          />
          <Icon name="star" size="lg" />
        </label>
      ))}
    </fieldset>
  );
}

/** Stars that were given. */
export function RatingStars({ value }: { value: number }): ReactNode {
  const t = useT('tickets');
  return (
    <span className="sp-stars">
      <span className="sp-sr">{t('ratingOf', { value, max: RATINGS.length })}</span>
      {RATINGS.map((each) => (
        <span key={each} data-given={each <= value || undefined}>
          <Icon name="star" size="sm" />
        </span>
      ))}
    </span>
  );
}
