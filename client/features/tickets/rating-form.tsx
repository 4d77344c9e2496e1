import type { ReactNode } from 'react';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { RatingField, RatingStars } from '#client/ui/rating.tsx';
import { Textarea } from '#client/ui/text-input.tsx';
import { DAY } from '#shared/time.ts';
import { RATING_DAYS, RATING_TEXT_MAX } from '#shared/tickets.ts';
import type { TicketData } from './view.tsx';

/** What the user thought of a closed ticket: asked for while it may be said or changed, shown afterwards. */
export function RatingForm({ data: { rating, can, ticket } }: { data: TicketData }): ReactNode {
  const t = useT('tickets');
  const format = useFormat();
  const answer = useActionAnswer<FormResult<{ readonly intent: string }>>();
  const shown = useFormProps(answer?.ok === false ? answer : undefined, ['rating', 'text']);
  if (!can.rate)
    return (
      rating && (
        <p className="sp-btn-row">
          <span className="sp-meta">{t('yourRating')}</span> <RatingStars value={rating.value} />
        </p>
      )
    );
  const until = ticket.closed_at === null ? null : Date.parse(ticket.closed_at) + RATING_DAYS * DAY;
  return (
    <Form {...shown} noSummary preventScrollReset>
      <input type="hidden" name="_intent" value="rate" />
      <h2 className="sp-card__title">{t('rateTitle')}</h2>
      <RatingField key={rating?.value ?? 0} label={t('rateTitle')} value={rating?.value ?? null} />
      <Field label={t('rateWords')} name="text" optional>
        <Textarea rows={2} maxLength={RATING_TEXT_MAX} defaultValue={rating?.text ?? ''} />
      </Field>
      <div className="sp-btn-row">
        <Button type="submit" icon="star">
          {t(rating === null ? 'rate' : 'rateAgain')}
        </Button>
        {rating !== null && until !== null && (
          <output className="sp-meta">{t('rated', { date: format.date(until) })}</output>
        )}
      </div>
    </Form>
  );
}
