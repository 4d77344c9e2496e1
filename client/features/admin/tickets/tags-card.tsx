import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { Link } from 'react-router';
import { TAG_MAX, TAGS_MAX } from '#shared/tickets.ts';
import { addressOf } from './query.ts';
import type { StaffTicketData } from './view.tsx';

/** What a form says of tags: words between commas. */
export const toTags = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);

/** The tags of a ticket, each with those that have it too, and the field that changes them. */
export function TagsCard({ data: { ticket } }: { data: StaffTicketData }): ReactNode {
  const t = useT('ticketInbox');
  return (
    <Card title={t('tags')}>
      {ticket.tags.length > 0 && (
        <div className="sp-tags">
          {ticket.tags.map((tag) => (
            <Link key={tag} className="sp-inbox__tag" to={addressOf({ view: 'all', tag })}>
              {tag}
            </Link>
          ))}
        </div>
      )}
      <Form noSummary preventScrollReset>
        <input type="hidden" name="_intent" value="tags" />
        <Field label={t('tags')} name="tags" hideLabel hint={t('tagsHint')}>
          <TextInput maxLength={TAGS_MAX * (TAG_MAX + 2)} defaultValue={ticket.tags.join(', ')} />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit">{t('saveTags')}</Button>
        </div>
      </Form>
    </Card>
  );
}
