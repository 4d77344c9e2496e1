import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import * as z from 'zod/mini';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { readList } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { Pager } from '#client/ui/pager.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { QrCode } from '#client/ui/qr-code.tsx';
import { OwnCard, Standing, STATE_TONES, TermsCard } from './referrals-parts.tsx';

const LIST = { sortable: [], defaultSort: { key: 'at', dir: 'desc' }, sizes: [25], filters: [] } as const;

/** The visitor's code, the users they referred, and their own referral. */
export async function loader(args: LoaderFunctionArgs) {
  const { page } = readList(new URL(args.request.url).search, LIST);
  return apiOf(args).referrals.page({ query: { page: String(page) } });
}
export type ReferralsData = Awaited<ReturnType<typeof loader>>;

/** Creates the visitor's code. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, z.strictObject({}), async () => apiOf(args).referrals.makeCode());
}

/** /earn/referrals (behaviour 4.4). */
export default function ReferralsScreen(): ReactNode {
  const t = useT('referrals');
  const format = useFormat();
  const data = useLoaderData<typeof loader>();
  useLive(['balance']);
  const { terms, month } = data;
  const words = t('text', { newcomer: format.credits(terms.newcomer), referrer: format.credits(terms.referrer) });
  return (
    <Page>
      <PageHead title={t('title')} text={month.max > 0 ? `${words} ${t('most', { count: month.max })}` : words} />
      <div className="sp-halves">
        {data.link === null || data.code === null ? <MakeCard /> : <LinkCard link={data.link} code={data.code} />}
        <div className="sp-stack">
          {data.own && <OwnCard own={data.own} terms={terms} />}
          <TermsCard terms={terms} />
        </div>
      </div>
      <Totals data={data} />
      <InvitedCard data={data} />
    </Page>
  );
}

function MakeCard(): ReactNode {
  const t = useT('referrals');
  const answer = useActionAnswer<FormResult<unknown>>();
  return (
    <Card title={t('makeTitle')} text={t('makeText')}>
      <Form {...useFormProps(answer)}>
        <Button type="submit" variant="primary" size="lg">
          {t('createLink')}
        </Button>
      </Form>
    </Card>
  );
}

/** The link to share, as text to copy and as a QR code. */
function LinkCard({ link, code }: { link: string; code: string }): ReactNode {
  const t = useT('referrals');
  return (
    <Card title={t('linkTitle')}>
      <div className="sp-share">
        <QrCode text={link} label={t('qr')} />
        <div className="sp-stack">
          <Field label={t('linkTitle')} hideLabel>
            <TextInput mono readOnly value={link} />
          </Field>
          <CopyButton text={link} what={t('linkName')}>
            {t('copyLink')}
          </CopyButton>
          <p className="sp-muted sp-mono">{t('codeIs', { code })}</p>
        </div>
      </div>
    </Card>
  );
}

function Totals({ data: { totals, month } }: { data: ReferralsData }): ReactNode {
  const t = useT('referrals');
  const format = useFormat();
  const rewarded = format.number(month.rewarded);
  return (
    <Stats>
      <StatTile label={t('invited')} value={format.number(totals.invited)} />
      <StatTile label={t('rewarded')} value={format.number(totals.paid)} />
      <StatTile label={t('earned')} value={<CreditAmount value={totals.credits} />} />
      <StatTile
        label={t('month')}
        value={month.max > 0 ? t('monthOf', { rewarded, max: format.number(month.max) }) : rewarded}
      />
    </Stats>
  );
}

type Invited = ReferralsData['list'][number];

function JoinedDate({ at }: { at: string }): ReactNode {
  const format = useFormat();
  return <time dateTime={at}>{format.date(at)}</time>;
}

function State({ state }: { state: Invited['state'] }): ReactNode {
  const t = useT('referrals');
  return <Badge tone={STATE_TONES[state]}>{t(`stateName.${state}`)}</Badge>;
}

/** The reward of a referral, once it is paid. */
const reward = ({ state, credits }: Invited): ReactNode =>
  state === 'paid' ? <CreditAmount value={credits} variant="signed" /> : '–';
const joined = ({ at }: Invited): ReactNode => <JoinedDate at={at} />;
const standingOf = ({ state, reason }: Invited): ReactNode => <Standing state={state} reason={reason} />;
const stateOf = ({ state }: Invited): ReactNode => <State state={state} />;

function InvitedCard({ data }: { data: ReferralsData }): ReactNode {
  const t = useT('referrals');
  const format = useFormat();
  const { hrefOf } = useListState(LIST);
  const columns: readonly Column<Invited>[] = [
    { key: 'player', label: t('player'), cell: (row) => row.username, title: true },
    { key: 'joined', label: t('joined'), cell: joined },
    { key: 'state', label: t('state'), cell: stateOf },
    { key: 'where', label: t('where'), cell: standingOf, wrap: true },
    { key: 'credits', label: t('credits'), align: 'end', cell: reward },
  ];
  const { page, per_page: size, total } = data.paging;
  const pager =
    total > size ? { foot: <Pager page={page} size={size} total={total} hrefOf={(to) => hrefOf({ page: to })} /> } : {};
  return (
    <Card title={t('listTitle')} count={format.number(total)} flush {...pager}>
      <DataTable
        caption={t('listTitle')}
        columns={columns}
        rows={data.list}
        rowKey={(row) => row.id}
        rowName={(row) => row.username}
        state={<EmptyState title={t('empty')} text={t('emptyText')} />}
      />
    </Card>
  );
}
