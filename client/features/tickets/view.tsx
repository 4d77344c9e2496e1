import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { OWN_FILES, TICKET_SHAPES, useTicketLines } from '#client/lib/ticket-text.ts';
import { useApi } from '#client/lib/use-api.ts';
import { useWriters } from '#client/lib/use-writers.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, CardSection, Facts, type Fact } from '#client/ui/card.tsx';
import { Conversation } from '#client/ui/conversation.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { Typing } from '#client/ui/typing.tsx';
import * as z from 'zod/mini';
import { href } from '#shared/routes/href.ts';
import { ticketMessageInput, ticketRatingInput } from '#shared/schemas/ticket.ts';
import { RatingForm } from './rating-form.tsx';
import { ReplyForm } from './reply-form.tsx';

/** A ticket with its lines; the address says before which (`?before=`). */
export async function loader(args: LoaderFunctionArgs) {
  const before = new URL(args.request.url).searchParams.get('before') ?? '';
  const isLast = !/^[1-9]\d{0,8}$/.test(before);
  const found = await apiOf(args).tickets.get({
    params: { id: args.params.id ?? '' },
    query: isLast ? {} : { before },
  });
  return { ...found, isLast };
}
export type TicketData = Awaited<ReturnType<typeof loader>>;
type Data = TicketData;
type Answer = FormResult<{ readonly intent: 'reply' | 'close' | 'reopen' | 'rate' }>;

/** Closes the ticket, reopens or rates it; without scripts it sends a message as well. */
export async function action(args: ActionFunctionArgs) {
  const { tickets } = apiOf(args);
  const params = { id: args.params.id ?? '' };
  const intent = (await args.request.clone().formData()).get('_intent');
  if (intent === 'close' || intent === 'reopen')
    return submitForm(args.request, z.object({}), async () => {
      await tickets[intent]({ params });
      return { intent };
    });
  if (intent === 'rate')
    return submitForm(args.request, ticketRatingInput, async (body) => {
      await tickets.rate({ params, body });
      return { intent };
    });
  return submitForm(args.request, ticketMessageInput, async (body, key) => {
    await tickets.reply({ params, body }, key ? { key } : {});
    return { intent: 'reply' as const };
  });
}

/** The document's title begins with it. */
export const pageName = ({ ticket }: Data): string => ticket.subject;

/** /ticket/:id (behaviour 7.3) */
export default function TicketScreen(): ReactNode {
  const t = useT('tickets');
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Answer>();
  const text = useErrorText();
  const lines = useTicketLines({ isStaff: false, readSeq: data.read_seq, reader: null });
  const writers = useWriters(data.ticket.id, false);
  useLive(['tickets']);
  useReadMark(data);
  const { ticket, older, isLast, can } = data;
  const [first] = data.lines;
  return (
    <Page narrow>
      <PageHead
        title={ticket.subject}
        badge={<Status shape={TICKET_SHAPES[ticket.status]}>{t(`status.${ticket.status}`)}</Status>}
        crumbs={useCrumbs({ 'ticket.view': t('number', { number: String(ticket.number) }) })}
        actions={can.close ? <Decision intent="close" /> : undefined}
      />
      {answer?.ok === false && !can.reply && (
        <Banner tone="danger" live>
          {text.code(answer.code)}
        </Banner>
      )}
      <Card flush>
        <CardSection>
          <Facts items={useFacts(data)} inline />
        </CardSection>
        <CardSection>
          {older && first && (
            <LinkButton to={`?before=${first.seq}`} size="sm" variant="ghost" icon="arrow-up">
              {t('earlier')}
            </LinkButton>
          )}
          <Conversation label={t('conversation')} lines={lines(data.lines)} address={OWN_FILES} />
          <Typing names={writers.map(({ name }) => name)} />
          {!isLast && (
            <LinkButton to={href('ticket.view', { id: ticket.id })} size="sm" variant="ghost">
              {t('latest')}
            </LinkButton>
          )}
        </CardSection>
        <CardSection>
          <Standing data={data} />
          {can.reply && (
            <ReplyForm key={ticket.id} ticketId={ticket.id} failed={answer?.ok === false ? answer : undefined} />
          )}
          <RatingForm data={data} />
        </CardSection>
      </Card>
    </Page>
  );
}

/** Notes that what is shown was read. */
function useReadMark({ ticket, lines, isLast }: Data): void {
  const api = useApi();
  const seq = lines.at(-1)?.seq;
  const wanted = ticket.unread && isLast && seq !== undefined ? seq : null;
  // The page was opened: what staff wrote has been seen.
  useEffect(() => {
    if (wanted !== null)
      api?.tickets.markRead({ params: { id: ticket.id }, body: { seq: wanted } }).catch(() => undefined);
  }, [api, ticket.id, wanted]);
}

function useFacts({ ticket }: Data): readonly Fact[] {
  const t = useT('tickets');
  return [
    { label: t('ticket'), value: t('number', { number: String(ticket.number) }) },
    { label: t('department'), value: ticket.department ?? '–' },
    { label: t('priorityLabel'), value: t(`priority.${ticket.priority}`) },
    ...(ticket.server
      ? [
          {
            label: t('server'),
            value: <TextLink to={href('server.view', { id: ticket.server.id })}>{ticket.server.name}</TextLink>,
          },
        ]
      : []),
  ];
}

/** What becomes of the ticket by itself, and what can be done about one that is closed. */
function Standing({ data }: { data: Data }): ReactNode {
  const t = useT('tickets');
  const format = useFormat();
  const { ticket, closes_at: closesAt, can, merged_into: merged } = data;
  if (closesAt !== null) return <p className="sp-meta">{t('closesAt', { date: format.date(closesAt) })}</p>;
  if (ticket.status !== 'closed') return null;
  if (merged)
    return (
      <Banner
        action={
          <LinkButton to={href('ticket.view', { id: merged.id })} size="sm">
            {t('number', { number: String(merged.number) })}
          </LinkButton>
        }
      >
        {t('mergedText')}
      </Banner>
    );
  return (
    <div className="sp-stack">
      <p className="sp-lead">{t(can.reopen ? 'closedText' : 'closedForGood')}</p>
      <div className="sp-btn-row">
        {can.reopen && <Decision intent="reopen" />}
        <LinkButton to={href('ticket.create')} variant={can.reopen ? 'ghost' : 'primary'} icon="plus">
          {t('new')}
        </LinkButton>
      </div>
    </div>
  );
}

function Decision({ intent }: { intent: 'close' | 'reopen' }): ReactNode {
  const t = useT('tickets');
  return (
    <Form noSummary preventScrollReset>
      <input type="hidden" name="_intent" value={intent} />
      <Button type="submit" icon={intent === 'close' ? 'check' : 'undo'}>
        {t(intent)}
      </Button>
    </Form>
  );
}
