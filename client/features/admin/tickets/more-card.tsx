import type { ReactNode } from 'react';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/staff-href.ts';
import { TICKET_SUBJECT_MAX } from '#shared/tickets.ts';
import type { StaffTicketData } from './view.tsx';

/** Says that a ticket was merged, and into which. */
export function MergedBanner({ into }: { into: StaffTicketData['merged_into'] }): ReactNode {
  const t = useT('tickets');
  if (into === null) return null;
  return (
    <Banner
      action={
        <LinkButton to={href('admin.tickets.view', { id: into.id })} size="sm">
          {t('number', { number: String(into.number) })}
        </LinkButton>
      }
    >
      {t('mergedText')}
    </Banner>
  );
}

/** What is done seldom: merging the ticket into another, splitting it, and blocking its user. */
export function MoreCard({ data }: { data: StaffTicketData }): ReactNode {
  const t = useT('staffTickets');
  const { ticket, merged_into: merged, card } = data;
  return (
    <Card title={t('more')}>
      <div className="sp-stack">
        {merged === null && <Merge />}
        {merged === null && ticket.status !== 'closed' && <Split data={data} />}
        {card !== null && <Block block={data.block} />}
      </div>
    </Card>
  );
}

/** The last refusal of a form of this card. */
function useRefused(intent: string, order: readonly string[]) {
  const answer = useActionAnswer<FormResult<unknown>>();
  const isOurs = answer?.ok === false && answer.values.intent === intent;
  return useFormProps(isOurs ? answer : undefined, order);
}

function Intent({ value }: { value: string }): ReactNode {
  return (
    <>
      <input type="hidden" name="_intent" value={value} />
      {/* Comes back with a refusal, which says whose it is. */}
      <input type="hidden" name="intent" value={value} />
    </>
  );
}

function Merge(): ReactNode {
  const t = useT('staffTickets');
  const shown = useRefused('merge', ['into']);
  return (
    <Disclosure label={t('merge')} open={shown.values.intent !== undefined}>
      <Form {...shown} noSummary preventScrollReset>
        <FormKey />
        <Intent value="merge" />
        <Field label={t('mergeInto')} name="into" required hint={t('mergeHint')}>
          <TextInput inputMode="numeric" autoComplete="off" maxLength={10} />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit" icon="layers">
            {t('mergeSubmit')}
          </Button>
        </div>
      </Form>
    </Disclosure>
  );
}

function Split({ data: { lines } }: { data: StaffTicketData }): ReactNode {
  const t = useT('staffTickets');
  const format = useFormat();
  const shown = useRefused('split', ['seq', 'subject']);
  const options = lines
    .filter(({ kind, seq }) => kind === 'user' && seq > 1)
    .map(({ seq, at, html }) => ({ value: String(seq), label: `${format.dateTime(at)} · ${toStart(html ?? '')}` }));
  if (options.length === 0) return null;
  return (
    <Disclosure label={t('split')} open={shown.values.intent !== undefined}>
      <Form {...shown} noSummary preventScrollReset>
        <FormKey />
        <Intent value="split" />
        <Field label={t('splitFrom')} name="seq" required hint={t('splitHint')}>
          <Select options={options} />
        </Field>
        <Field label={t('splitSubject')} name="subject" required>
          <TextInput maxLength={TICKET_SUBJECT_MAX} autoComplete="off" />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit" icon="external">
            {t('splitSubmit')}
          </Button>
        </div>
      </Form>
    </Disclosure>
  );
}

/** The first words of a message. In: HTML that the server wrote. */
const toStart = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 40);

function Block({ block }: { block: StaffTicketData['block'] }): ReactNode {
  const t = useT('staffTickets');
  const format = useFormat();
  const shown = useRefused('block', ['reason']);
  if (block !== null)
    return (
      <Form noSummary preventScrollReset>
        <Intent value="unblock" />
        <p>
          {t('blocked', { date: format.date(block.at) })} {block.reason !== '' && <q>{block.reason}</q>}
        </p>
        <div className="sp-btn-row">
          <Button type="submit" icon="undo">
            {t('unblock')}
          </Button>
        </div>
      </Form>
    );
  return (
    <Disclosure label={t('block')} open={shown.values.intent !== undefined}>
      <Form {...shown} noSummary preventScrollReset>
        <Intent value="block" />
        <Field label={t('blockReason')} name="reason" optional hint={t('blockHint')}>
          <TextInput maxLength={TICKET_SUBJECT_MAX} autoComplete="off" />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit" variant="danger-quiet" icon="ban">
            {t('blockSubmit')}
          </Button>
        </div>
      </Form>
    </Disclosure>
  );
}
