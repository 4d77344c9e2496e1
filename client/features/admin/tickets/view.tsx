import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { redirect, useLoaderData, useRevalidator } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { submitForm, toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { STAFF_FILES, TICKET_SHAPES, useTicketLines } from '#client/lib/ticket-text.ts';
import { useApi } from '#client/lib/use-api.ts';
import { useWriters } from '#client/lib/use-writers.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card, CardSection } from '#client/ui/card.tsx';
import { Conversation } from '#client/ui/conversation.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import type { Selection } from '#client/ui/table-selection.tsx';
import { Typing } from '#client/ui/typing.tsx';
import * as z from 'zod/mini';
import {
  ticketBlockInput,
  ticketChangeInput,
  ticketMergeInput,
  ticketReplyInput,
  ticketSplitInput,
} from '#shared/schemas/ticket.ts';
import { ChangeCard } from './cards.tsx';
import { InboxColumn, useInboxSelection } from './column.tsx';
import { TicketKeys } from './keys.tsx';
import { MergedBanner, MoreCard } from './more-card.tsx';
import { loadBeside, onBesideChange, ticketAddress, ticketBeside } from './query.ts';
import { RatingCard } from './rating-card.tsx';
import { StaffReplyForm } from './reply-form.tsx';
import { TagsCard, toTags } from './tags-card.tsx';
import { UserCard } from './user-card.tsx';
import { readUserFacts } from './user-facts.ts';
import { useTicketKeys } from './view-keys.ts';

/** A ticket with its lines, its user and the list beside it; the address says which, and before which line (`?before=`). */
export async function loader(args: LoaderFunctionArgs) {
  const before = new URL(args.request.url).searchParams.get('before') ?? '';
  const isLast = !/^[1-9]\d{0,8}$/.test(before);
  const [found, list] = await Promise.all([
    apiOf(args).adminTickets.get({ params: { id: args.params.id ?? '' }, query: isLast ? {} : { before } }),
    loadBeside(args),
  ]);
  return { ...found, isLast, list, more: await readUserFacts(args, found.ticket.user_id) };
}
export type StaffTicketData = Awaited<ReturnType<typeof loader>>;
type Answer = FormResult<{ readonly intent: 'reply' | 'change' }>;

/** Changes the ticket; without scripts it answers and notes as well. */
export async function action(args: ActionFunctionArgs) {
  const { adminTickets } = apiOf(args);
  const params = { id: args.params.id ?? '' };
  const intent = (await args.request.clone().formData()).get('_intent');
  if (intent === 'change')
    return submitForm(args.request, ticketChangeInput, async (body) => {
      await adminTickets.update({ params, body });
      return { intent: 'change' as const };
    });
  if (intent === 'tags') {
    const form = await args.request.formData();
    try {
      await adminTickets.update({ params, body: { tags: toTags(String(form.get('tags') ?? '')) } });
      return { ok: true as const, result: { intent: 'change' as const }, at: String(form.get('tags')) };
    } catch (error) {
      return toFormFailure(error, form);
    }
  }
  const moved = (made: { readonly id: string }) => redirect(ticketBeside(made.id, args.request.url));
  if (intent === 'merge')
    return submitForm(args.request, ticketMergeInput, async (body, key) =>
      moved(await adminTickets.merge({ params, body }, key ? { key } : {})),
    );
  if (intent === 'split')
    return submitForm(args.request, ticketSplitInput, async (body, key) =>
      moved(await adminTickets.split({ params, body }, key ? { key } : {})),
    );
  if (intent === 'block')
    return submitForm(args.request, ticketBlockInput, async (body) => {
      await adminTickets.block({ params, body });
      return { intent: 'change' as const };
    });
  if (intent === 'unblock')
    return submitForm(args.request, z.object({}), async () => {
      await adminTickets.unblock({ params });
      return { intent: 'change' as const };
    });
  return submitForm(args.request, ticketReplyInput, async (body, key) => {
    await adminTickets.reply({ params, body }, key ? { key } : {});
    return { intent: 'reply' as const };
  });
}

/** The document's title begins with it. */
export const pageName = ({ ticket }: StaffTicketData): string => ticket.subject;

/** /mc-admin/tickets/:id (behaviour 7.3) */
export default function StaffTicketScreen(): ReactNode {
  const t = useT('staffTickets');
  const words = useT('tickets');
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Answer>();
  const text = useErrorText();
  const lines = useTicketLines({ isStaff: true, readSeq: data.read_seq, reader: data.ticket.username });
  const writers = useWriters(data.ticket.id, true);
  useReadMark(data);
  useLive(['tickets']);
  const { ticket, older, isLast } = data;
  const selection = useListBeside(data.list);
  const onKey = useTicketKeys(ticket.id, data.list, selection);
  const address = data.list?.address ?? {};
  const [first] = data.lines;
  const failed = answer?.ok === false ? answer : undefined;
  return (
    <Page>
      <div className="sp-desk" data-open>
        {data.list && <InboxColumn data={data.list} selection={selection} current={ticket.id} />}
        <div className="sp-desk__talk sp-stack">
          <PageHead
            title={ticket.subject}
            badge={<Status shape={TICKET_SHAPES[ticket.status]}>{words(`staffStatus.${ticket.status}`)}</Status>}
            text={[
              words('number', { number: String(ticket.number) }),
              ticket.department,
              ticket.server?.name,
              ticket.username,
            ]
              .filter(Boolean)
              .join(' · ')}
            actions={<TicketKeys names={['move', 'reply', 'note', 'assign', 'close', 'search']} onKey={onKey} />}
            crumbs={useCrumbs({ 'admin.tickets.view': words('number', { number: String(ticket.number) }) })}
          />
          {failed && failed.values.text === undefined && failed.values.intent === undefined && (
            <Banner tone="danger" live>
              {text.code(failed.code)}
            </Banner>
          )}
          <MergedBanner into={data.merged_into} />
          <Card flush>
            {/* A new box for every ticket, whose scrolling begins at the latest line. */}
            <section
              className="sp-desk__lines"
              key={ticket.id}
              aria-label={ticket.subject}
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
              tabIndex={0}
            >
              <CardSection>
                {older && first && (
                  <LinkButton
                    to={ticketAddress(ticket.id, address, first.seq)}
                    size="sm"
                    variant="ghost"
                    icon="arrow-up"
                  >
                    {words('earlier')}
                  </LinkButton>
                )}
                <Conversation label={words('conversation')} lines={lines(data.lines)} address={STAFF_FILES} />
                <Typing names={writers.filter(({ staff }) => !staff).map(({ name }) => name)} />
                {!isLast && (
                  <LinkButton to={ticketAddress(ticket.id, address)} size="sm" variant="ghost">
                    {words('latest')}
                  </LinkButton>
                )}
              </CardSection>
            </section>
            <CardSection>
              {data.merged_into === null && (
                <StaffReplyForm
                  key={ticket.id}
                  data={data}
                  failed={failed}
                  others={writers.filter(({ staff }) => staff)}
                />
              )}
            </CardSection>
          </Card>
        </div>
        <div className="sp-desk__cards sp-stack">
          <ChangeCard
            key={[ticket.id, ticket.status, ticket.priority, ticket.assignee?.id, data.department_id].join(' ')}
            data={data}
          />
          <UserCard data={data} title={t('userCard')} />
          <TagsCard key={`tags ${ticket.id} ${ticket.tags.join()}`} data={data} />
          <MoreCard key={`more ${ticket.id}`} data={data} />
          <RatingCard rating={data.rating} />
        </div>
      </div>
    </Page>
  );
}

/** What is selected in the list beside the ticket, which is read when the window becomes wide enough for it. */
function useListBeside(data: StaffTicketData['list']): Selection | null {
  const { revalidate } = useRevalidator();
  const isThere = data !== null;
  // An effect, because the window is outside React.
  useEffect(() => (isThere ? undefined : onBesideChange(() => void revalidate())), [isThere, revalidate]);
  return useInboxSelection(data);
}

/** Notes that staff have read what is shown. */
function useReadMark({ ticket, lines, isLast, staff_seq: read }: StaffTicketData): void {
  const api = useApi();
  const seq = lines.at(-1)?.seq;
  const wanted = isLast && seq !== undefined && seq > read ? seq : null;
  // The page was opened: what its user wrote has been seen.
  useEffect(() => {
    if (wanted !== null)
      api?.adminTickets.markRead({ params: { id: ticket.id }, body: { seq: wanted } }).catch(() => undefined);
  }, [api, ticket.id, wanted]);
}
