import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { RatingStars } from '#client/ui/rating.tsx';
import type { StaffTicketData } from './view.tsx';

/** What the user thought of the ticket in the end; nothing where they did not say. */
export function RatingCard({ rating }: { rating: StaffTicketData['rating'] }): ReactNode {
  const words = useT('tickets');
  const format = useFormat();
  if (rating === null) return null;
  return (
    <Card title={words('ratingTitle')} aside={<RatingStars value={rating.value} />}>
      {rating.text !== '' && <blockquote className="sp-quote">{rating.text}</blockquote>}
      <p className="sp-meta">{format.dateTime(rating.at)}</p>
    </Card>
  );
}
